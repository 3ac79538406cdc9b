  // The filters, and the table: a page of the rows that are searched for, in the order asked for.
  const kPage = 50;
  const columns = [
    ['request', ID, (v) => v, 'id'], ['model', MODEL, (v) => v, 'model wide'],
    ['prompt', PROMPT_NAME, (v) => v, 'prompt wide'], ['outcome', OUTCOME, (v) => v, 'outcome'],
    ['score', SCORE, score, 'n'], ['attempts', ATTEMPTS, count, 'n wide'],
    ['queued', QUEUED, ms, 'n wide'], ['ran', RUN, ms, 'n wide'],
    ['question', PROMPT, (v) => v, 'cut wide'], ['answer', ANSWER, (v) => v, 'cut'],
  ].filter(([, index]) => index !== PROMPT_NAME || rows.some((row) => row[PROMPT_NAME]));
  const narrow = matchMedia('(max-width: 700px)');  // As the style sheet has it.
  const choices = {outcome: OUTCOME, model: MODEL, prompt: PROMPT_NAME, code: CODE};
  const view = {order: null, descending: false, found: [], first: 0, open: new Set(), exact: {}};

  const gradeOf = (row, grader) => row[GRADES].find((grade) => grade[0] === grader);
  // true, false, or null: nobody judged it.
  function passed(row) {
    const grader = at('grader').value;
    if (!grader) return row[PASSED];
    const grade = gradeOf(row, grader);
    return grade ? grade[2] : null;
  }
  const failed = (row) => passed(row) === false
    || ['error', 'schema_invalid', 'missing'].includes(row[OUTCOME]);
  // Items whose answers (of models, prompts and repeats) were judged differently.
  function disagreed() {
    const verdicts = new Map();
    for (const row of rows) {
      const verdict = passed(row);
      if (verdict === null) continue;
      if (!verdicts.has(row[ITEM])) verdicts.set(row[ITEM], new Set());
      verdicts.get(row[ITEM]).add(verdict);
    }
    return (row) => (verdicts.get(row[ITEM]) || new Set()).size > 1;
  }
  function texts(row) {
    return [row[ID], row[MODEL], row[PROMPT_NAME], row[ITEM], row[ERROR_CLASS], row[ERROR],
            row[PROMPT], row[ANSWER], ...row[TURNS].map(([, answer]) => answer), ...row[VARS].map(([, value]) => value),
            ...row[GRADES].flatMap((g) => [g[0], g[3], g[4]])];
  }
  function sort(found) {
    if (view.order === null) return;
    const sign = view.descending ? -1 : 1;
    // What is not known comes last in both directions.
    found.sort((x, y) => {
      const [a, b] = [x[view.order], y[view.order]];
      if (a === null || b === null) return (a === null) - (b === null);
      return sign * (typeof a === 'string' ? a.localeCompare(b) : a - b);
    });
  }
  function search() {
    const words = at('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = Object.entries(choices).map(([id, index]) => [at(id).value, index])
      .concat([[view.exact.item, ITEM], [view.exact.id, ID]])
      .filter(([value]) => value !== undefined && value !== '');
    const grader = at('grader').value;
    const only = {failed, disagreed: disagreed()}[at('show').value] || (() => true);
    view.found = rows.filter((row) => {
      if (wanted.some(([value, index]) => (row[index] || '(none)') !== value)) return false;
      if (grader && !gradeOf(row, grader)) return false;
      if (!only(row)) return false;
      if (!words.length) return true;
      const text = texts(row).join('\n').toLowerCase();
      return words.every((word) => text.includes(word));
    });
    sort(view.found);
    view.first = 0;
    if (view.opens && view.found.length === 1) view.open.add(view.found[0]);
    show();
    showMatrix();
  }

  function fact(list, name, value) {
    if (value === '' || value === undefined) return;
    list.append(make('dt', name), make('dd', value));
  }
  function facts(row) {
    const list = make('dl');
    fact(list, 'item', row[ITEM] === row[ID] ? '' : row[ITEM]);
    fact(list, 'repeat', row[REPEAT] > 1 ? String(row[REPEAT]) : '');
    fact(list, 'submitted to ended', known(row[LATENCY], ms));
    fact(list, 'in the queue', known(row[QUEUED], ms));
    fact(list, 'in the worker', known(row[RUN], ms));
    fact(list, 'first token', known(row[FIRST_TOKEN], ms));
    fact(list, 'tokens in', known(row[TOKENS_IN], count));
    fact(list, 'tokens out', known(row[TOKENS_OUT], count));
    fact(list, 'cost', known(row[COST], (v) => `$${v}`));
    fact(list, 'error', row[ERROR_CLASS] && `${row[ERROR_CLASS]}: ${row[ERROR]}`);
    fact(list, 'not graded', !row[ERROR_CLASS] && row[ERROR]);
    for (const [name, value, , reason] of row[GRADES]) {
      fact(list, name, `${value === null ? 'ungraded' : score(value)}${reason && `: ${reason}`}`);
    }
    return list;
  }
  function links(row) {
    const line = make('p', undefined, 'none');
    const own = make('a', 'link to this request');
    own.href = `#${new URLSearchParams({id: row[ID]})}`;
    line.append(own);
    for (const [name, path] of row[FILES]) {
      const link = make('a', name);
      link.href = `${data.root}/${path}`;
      line.append(' \u00b7 ', link);
    }
    return line;
  }
  // Turn by turn: what the user said, the tools that were called, what the model answered.
  function conversation(turns) {
    const list = make('ol', undefined, 'turns');
    for (const [user, answer, error, calls] of turns) {
      const turn = make('li');
      const said = (who, text, name) => turn.append(make('h4', who), make('pre', text, name));
      said('user', user, 'user');
      for (const [tool, given, result, failed] of calls) {
        said(`tool ${tool}${failed ? ' (error)' : ''}`, `${given}\n\u2192 ${result}`,
             failed ? 'call failed' : 'call');
      }
      if (answer) said('assistant', answer, 'assistant');
      if (error) said('error', error, 'failed');
      list.append(turn);
    }
    return list;
  }
  function details(row) {
    const cell = make('td');
    cell.colSpan = columns.filter(([, , , name]) => !narrow.matches || !/wide/.test(name)).length;
    cell.append(facts(row));
    if (row[VARS].length) {
      const vars = make('dl');
      for (const [name, value] of row[VARS]) fact(vars, name, value);
      cell.append(make('h3', 'Row'), vars);
    }
    if (row[TURNS].length) cell.append(make('h3', 'Conversation'), conversation(row[TURNS]));
    else cell.append(make('h3', 'Prompt'), make('pre', row[PROMPT]));
    const expected = [...new Set(row[GRADES].map((grade) => grade[4]).filter(Boolean))];
    for (const text of expected) cell.append(sideBySide(text, row[ANSWER]));
    if (!expected.length && !row[TURNS].length) cell.append(make('h3', 'Answer'), make('pre', row[ANSWER]));
    cell.append(links(row));
    const line = make('tr', undefined, 'details');
    line.append(cell);
    return line;
  }
  function tableRow(row) {
    const grader = at('grader').value;
    const line = make('tr', undefined, `outcome-${row[OUTCOME]}${failed(row) ? ' zero' : ''}`);
    for (const [, index, text, name] of columns) {
      const own = index === SCORE && grader ? (gradeOf(row, grader) || [])[1] : row[index];
      const value = known(own, text);
      const cell = make('td', undefined, name);
      if (index === ID) {
        const button = make('button', value, 'link');
        button.type = 'button';
        button.dataset.id = row[ID];
        button.setAttribute('aria-expanded', view.open.has(row));
        cell.append(button);
      } else {
        cell.textContent = name && name.startsWith('cut') ? value.slice(0, 160) : value;
      }
      line.append(cell);
    }
    line.addEventListener('click', () => {
      if (getSelection().toString()) return;
      if (!view.open.delete(row)) view.open.add(row);
      show();
      // The row was made anew: whoever works by keyboard stays where they were.
      const again = [...document.querySelectorAll('#rows button')]
        .find((button) => button.dataset.id === row[ID]);
      if (again) again.focus({preventScroll: true});
    });
    return line;
  }
  function show() {
    const body = at('rows');
    body.replaceChildren();
    for (const row of view.found.slice(view.first, view.first + kPage)) {
      body.append(tableRow(row));
      if (view.open.has(row)) body.append(details(row));
    }
    const last = Math.min(view.first + kPage, view.found.length);
    at('found').textContent = `${count(view.found.length)} of ${count(rows.length)}`;
    at('page').textContent = view.found.length
      ? `${count(view.first + 1)} to ${count(last)} of ${count(view.found.length)}` : '';
    at('back').disabled = view.first === 0;
    at('next').disabled = last === view.found.length;
    at('clear').hidden = String(state()) === '';
  }
