  // Items by model and prompt. A cell has a mark for each repeat, and leads to its requests.
  const kMatrixItems = 40;
  const kMatrixColumns = 24;
  const groups = [...new Map(rows.map((row) =>
    [`${row[MODEL]}\n${row[PROMPT_NAME]}`, [row[MODEL], row[PROMPT_NAME]]])).entries()]
    .sort(([x], [y]) => x.localeCompare(y)).slice(0, kMatrixColumns);
  const hasMatrix = rows.some((row) => row[SCORE] !== null || row[GRADES].length)
    && (groups.length > 1 || rows.some((row) => row[REPEAT] > 1));
  let matrixItems = kMatrixItems;

  function mark(row) {
    const verdict = passed(row);
    if (verdict === null) return ['\u2013', 'no grade'];
    return verdict ? ['\u2713', 'good'] : ['\u2717', 'bad'];
  }
  function cellOf(item, model, prompt, group) {
    const cell = make('td');
    if (!group.length) return cell;
    group.sort((x, y) => x[REPEAT] - y[REPEAT]);
    const link = make('a', undefined, 'marks');
    const search = {item, model};
    if (prompt) search.prompt = prompt;
    link.href = `#${new URLSearchParams(search)}`;
    for (const row of group) {
      const [sign, name] = mark(row);
      link.append(make('span', sign, name));
    }
    const scores = group.map((row) => row[SCORE]).filter((value) => value !== null);
    const mean = scores.reduce((sum, value) => sum + value, 0) / scores.length;
    if (scores.length && mean > 0 && mean < 1) link.append(make('small', mean.toFixed(2)));
    const good = group.filter((row) => passed(row)).length;
    link.setAttribute('aria-label', `${item}, ${model}${prompt && `, ${prompt}`}: `
      + `${good} of ${group.length} passed`);
    cell.append(link);
    return cell;
  }
  function showMatrix() {
    if (!hasMatrix) return;
    // Items that were found, with all their answers: a failure is read beside what did not fail.
    const items = new Map(view.found.map((row) => [row[ITEM], new Map()]));
    for (const row of rows) {
      const cells = items.get(row[ITEM]);
      if (!cells) continue;
      const key = `${row[MODEL]}\n${row[PROMPT_NAME]}`;
      cells.set(key, [...(cells.get(key) || []), row]);
    }
    const body = at('matrix_rows');
    body.replaceChildren();
    for (const [item, cells] of [...items].slice(0, matrixItems)) {
      const line = make('tr');
      const head = make('th', item);
      head.scope = 'row';
      line.append(head);
      for (const [key, [model, prompt]] of groups) {
        line.append(cellOf(item, model, prompt, cells.get(key) || []));
      }
      body.append(line);
    }
    at('matrix_more').hidden = items.size <= matrixItems;
    at('matrix_found').textContent =
      `${count(Math.min(items.size, matrixItems))} of ${count(items.size)} items`;
  }
  function startMatrix() {
    if (!hasMatrix) return;
    at('matrix_part').hidden = false;
    at('matrix_heads').append(make('th', 'item'));
    for (const [, [model, prompt]] of groups) {
      const head = make('th', model);
      head.scope = 'col';
      if (prompt) head.append(make('small', prompt));
      at('matrix_heads').append(head);
    }
    at('matrix_more').addEventListener('click', () => {
      matrixItems += 10 * kMatrixItems;
      showMatrix();
    });
  }
