  // Draws the charts, the matrix and the table of requests from the page's data elements. Whatever
  // came from requests and responses is put in by textContent alone: it is never read as HTML.
  const read = (element) => JSON.parse(element.textContent);
  const data = read(document.getElementById('data'));
  const rows = [];
  for (const block of document.querySelectorAll('script.items')) {
    for (const row of read(block)) rows.push(row);
    block.remove();
  }
  // The columns of an item, as html_format.cc writes them.
  const [ID, MODEL, PROMPT_NAME, ITEM, REPEAT, OUTCOME, SCORE, ATTEMPTS, LATENCY, RUN, FIRST_TOKEN,
    TOKENS_IN, TOKENS_OUT, COST, ERROR_CLASS, ERROR, PROMPT, ANSWER, GRADES, FILES, QUEUED, VARS,
    CODE, PASSED, TURNS] = Array.from({length: 25}, (_, i) => i);

  // What needs a look comes first: failures, what has no score, the rest as it came (by id).
  const kFirst = ['missing', 'error', 'schema_invalid', 'ungraded', 'refusal', 'truncated',
    'pending'];
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
  const at = (id) => document.getElementById(id);
