'use strict';
// Draws the charts and the table of requests from the page's data elements. Whatever came from
// requests and responses is put in by textContent alone: it is never looked at as HTML.
(() => {
  const read = (element) => JSON.parse(element.textContent);
  const data = read(document.getElementById('data'));
  const rows = [];
  for (const block of document.querySelectorAll('script.items')) {
    for (const row of read(block)) rows.push(row);
    block.remove();
  }
  // The columns of an item, as html_format.cc writes them.
  const [ID, MODEL, PROMPT_NAME, ITEM, REPEAT, OUTCOME, SCORE, ATTEMPTS, LATENCY, RUN, FIRST_TOKEN,
    TOKENS_IN, TOKENS_OUT, COST, ERROR_CLASS, ERROR, PROMPT, ANSWER, GRADES, FILES] =
    Array.from({length: 20}, (_, i) => i);

  // What needs a look comes first: failures, what has no score, the rest as it came (by id).
  const kFirst = ['error', 'ungraded', 'refusal', 'truncated', 'pending'];
  const rank = (row) => (kFirst.indexOf(row[OUTCOME]) + kFirst.length + 1) % (kFirst.length + 1);
  rows.sort((x, y) => rank(x) - rank(y));

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const ms = (v) => v < 1000 ? `${v} ms` : v < 60000 ? `${+(v / 1000).toFixed(2)} s`
    : `${Math.floor(v / 60000)}m ${String(Math.round(v % 60000 / 1000)).padStart(2, '0')}s`;
  const count = (v) => Number.isInteger(v) ? v.toLocaleString('en').replaceAll(',', ' ') : '';
  const score = (v) => v === null ? '' : v.toFixed(3);
  const known = (v, show) => v === null || v === undefined ? '' : show(v);
  function make(tag, text, name) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (name) element.className = name;
    return element;
  }

  function options(extra) {
    return {
      responsive: true, maintainAspectRatio: false, animation: false,
      interaction: {mode: 'index', intersect: false},
      ...extra,
      plugins: {legend: {display: false}, ...extra.plugins},
    };
  }
  function axis(title, extra = {}) {
    return {
      title: {display: true, text: title, color: css('--muted')},
      ticks: {color: css('--muted'), maxRotation: 0, autoSkipPadding: 14, ...extra.ticks},
      grid: {color: css('--line'), display: extra.grid !== false},
      border: {display: false}, stacked: extra.stacked, beginAtZero: true,
      min: extra.min, max: extra.max,
    };
  }
  const bars = {barPercentage: 1, categoryPercentage: 0.92};

  function latency(canvas) {
    const buckets = data.latency;
    return new Chart(canvas, {
      type: 'bar',
      data: {
        labels: buckets.map(([low]) => ms(low)),
        datasets: [{label: 'requests', data: buckets.map((b) => b[2]),
                    backgroundColor: css('--bar'), ...bars}],
      },
      options: options({
        plugins: {tooltip: {callbacks: {title: ([item]) => {
          const [low, high] = buckets[item.dataIndex];
          return low === high ? ms(low) : `${ms(low)} to ${ms(high)}`;
        }}}},
        scales: {x: axis('latency', {grid: false}), y: axis('requests', {ticks: {callback: count}})},
      }),
    });
  }

  function timeLine(canvas) {
    const series = [['success', '--good'], ['gave up', '--bad']];
    return new Chart(canvas, {
      type: 'bar',
      data: {
        labels: data.time_line.map((_, i) => ms(i * data.bucket_ms)),
        datasets: series.map(([label, color], i) => ({
          label, data: data.time_line.map((b) => b[i]), backgroundColor: css(color), stack: 'ends',
          ...bars,
        })),
      },
      options: options({
        plugins: {legend: {display: true, position: 'bottom',
                           labels: {color: css('--ink'), boxWidth: 12}}},
        scales: {
          x: axis('since the start', {grid: false, stacked: true}),
          y: axis(`per ${ms(data.bucket_ms)}`, {ticks: {callback: count}, stacked: true}),
        },
      }),
    });
  }

  // A bar from one end of the interval to the other, and the mean as a dot.
  function scores(canvas) {
    canvas.parentElement.style.height = `${90 + 34 * data.scores.length}px`;
    return new Chart(canvas, {
      data: {
        labels: data.scores.map((s) => s[0]),
        datasets: [
          {type: 'line', label: 'mean', showLine: false, pointRadius: 5, pointHoverRadius: 6,
           data: data.scores.map((s) => s[1]), backgroundColor: css('--ink'),
           borderColor: css('--ink')},
          {type: 'bar', label: '95 % interval', data: data.scores.map((s) => [s[2], s[3]]),
           backgroundColor: css('--bar'), barThickness: 12},
        ],
      },
      options: options({
        indexAxis: 'y',
        plugins: {tooltip: {callbacks: {label: (item) => {
          const [, mean, low, high] = data.scores[item.dataIndex];
          return item.datasetIndex === 0 ? `mean ${score(mean)}` : `${score(low)} to ${score(high)}`;
        }}}},
        scales: {x: axis('score', {min: 0, max: 1}), y: {...axis('', {grid: false}),
                                                         title: {display: false}}},
      }),
    });
  }

  const charts = [];
  function draw() {
    while (charts.length) charts.pop().destroy();
    for (const [id, chart] of Object.entries({latency, time_line: timeLine, scores})) {
      const canvas = document.getElementById(id);
      if (canvas) charts.push(chart(canvas));
    }
  }
  draw();
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

  // The table: a page of the rows that are searched for, in the order that is asked for.
  const kPage = 50;
  const columns = [
    ['request', ID, (v) => v, 'id'], ['model', MODEL, (v) => v], ['prompt', PROMPT_NAME, (v) => v],
    ['outcome', OUTCOME, (v) => v], ['score', SCORE, score, 'n'],
    ['attempts', ATTEMPTS, count, 'n'], ['ran', RUN, ms, 'n'],
    ['question', PROMPT, (v) => v, 'cut'], ['answer', ANSWER, (v) => v, 'cut'],
  ].filter(([, index]) => index !== PROMPT_NAME || rows.some((row) => row[PROMPT_NAME]));
  const at = (id) => document.getElementById(id);
  const view = {order: null, descending: false, found: [], first: 0, open: new Set()};

  function texts(row) {
    return [row[ID], row[MODEL], row[PROMPT_NAME], row[ITEM], row[ERROR_CLASS], row[ERROR],
            row[PROMPT], row[ANSWER], ...row[GRADES].flatMap((g) => [g[0], g[3]])];
  }
  function search() {
    const words = at('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const outcome = at('outcome').value;
    const model = at('model').value;
    view.found = rows.filter((row) => {
      if (outcome && row[OUTCOME] !== outcome) return false;
      if (model && row[MODEL] !== model) return false;
      if (!words.length) return true;
      const text = texts(row).join('\n').toLowerCase();
      return words.every((word) => text.includes(word));
    });
    if (view.order !== null) {
      const sign = view.descending ? -1 : 1;
      // What is not known comes last in both directions.
      view.found.sort((x, y) => {
        const [a, b] = [x[view.order], y[view.order]];
        if (a === null || b === null) return (a === null) - (b === null);
        return sign * (typeof a === 'string' ? a.localeCompare(b) : a - b);
      });
    }
    view.first = 0;
    if (view.opens && view.found.length === 1) view.open.add(view.found[0]);
    show();
  }

  function fact(list, name, value) {
    if (value === '' || value === undefined) return;
    list.append(make('dt', name), make('dd', value));
  }
  function details(row) {
    const cell = make('td');
    cell.colSpan = columns.length;
    const facts = make('dl');
    fact(facts, 'item', row[ITEM] === row[ID] ? '' : row[ITEM]);
    fact(facts, 'repeat', row[REPEAT] > 1 ? String(row[REPEAT]) : '');
    fact(facts, 'submitted to ended', known(row[LATENCY], ms));
    fact(facts, 'first token', known(row[FIRST_TOKEN], ms));
    fact(facts, 'tokens in', known(row[TOKENS_IN], count));
    fact(facts, 'tokens out', known(row[TOKENS_OUT], count));
    fact(facts, 'cost', known(row[COST], (v) => `$${v}`));
    fact(facts, 'error', row[ERROR_CLASS] && `${row[ERROR_CLASS]}: ${row[ERROR]}`);
    for (const [name, value, , reason] of row[GRADES]) {
      fact(facts, name, `${value === null ? 'ungraded' : score(value)}${reason && `: ${reason}`}`);
    }
    cell.append(facts, make('h3', 'Prompt'), make('pre', row[PROMPT]), make('h3', 'Answer'),
                make('pre', row[ANSWER]));
    const files = make('p', 'files: ', 'none');
    for (const name of row[FILES].split(' ').filter(Boolean)) {
      const link = make('a', name);
      link.href = `${data.root}/${name}/${encodeURIComponent(row[ID])}.json`;
      files.append(link, ' ');
    }
    cell.append(files);
    const line = make('tr', undefined, 'details');
    line.append(cell);
    return line;
  }
  function tableRow(row) {
    const line = make('tr', undefined, `outcome-${row[OUTCOME]}${row[SCORE] === 0 ? ' zero' : ''}`);
    for (const [, index, text, name] of columns) {
      const value = known(row[index], text);
      const cell = make('td', undefined, name);
      if (index === ID) {
        const button = make('button', value, 'link');
        button.type = 'button';
        button.setAttribute('aria-expanded', view.open.has(row));
        cell.append(button);
      } else {
        cell.textContent = name === 'cut' ? value.slice(0, 160) : value;
      }
      line.append(cell);
    }
    line.addEventListener('click', () => {
      if (getSelection().toString()) return;
      if (!view.open.delete(row)) view.open.add(row);
      show();
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
    at('page').textContent = view.found.length ? `${count(view.first + 1)} to ${count(last)}` : '';
    at('back').disabled = view.first === 0;
    at('next').disabled = last === view.found.length;
  }

  for (const [title, index, , name] of columns) {
    const head = make('th', undefined, name === 'id' ? '' : name);
    const button = make('button', title, 'link');
    button.type = 'button';
    button.addEventListener('click', () => {
      view.descending = view.order === index && !view.descending;
      view.order = index;
      search();
    });
    head.append(button);
    at('heads').append(head);
  }
  function choices(id, index) {
    for (const value of [...new Set(rows.map((row) => row[index]))].sort()) {
      const option = make('option', value || '(none)');
      option.value = value;
      if (value) at(id).append(option);
    }
    at(id).addEventListener('change', search);
  }
  choices('outcome', OUTCOME);
  choices('model', MODEL);
  let waiting = 0;
  at('search').addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 150);
  });
  at('back').addEventListener('click', () => { view.first -= kPage; show(); });
  at('next').addEventListener('click', () => { view.first += kPage; show(); });
  // report.html#q=WORDS opens with a search, so that a search can be passed on.
  if (location.hash.startsWith('#q=')) {
    at('search').value = decodeURIComponent(location.hash.slice(3));
    view.opens = true;
  }
  search();
})();
