  // Labels responses by hand, one at a time, in an order that tells nothing. Whatever came from
  // requests and responses is put in by textContent alone: it is never read as HTML.
  const data = JSON.parse(document.getElementById('data').textContent);
  const at = (id) => document.getElementById(id);
  // By the request's id: {label, note, at}. A label of null: an earlier one is withdrawn.
  const labels = new Map(data.labels.map(([id, label, note]) => [id, {label, note, old: true}]));
  const kKeep = `filecall-label-${data.id}`;
  let place = 0;
  let unsaved = 0;
  let keeps = true;

  function keep() {
    const fresh = [...labels].filter(([, one]) => !one.old);
    try {
      localStorage.setItem(kKeep, JSON.stringify({by: at('by').value, fresh, unsaved, place}));
    } catch (error) {
      keeps = false;
    }
  }
  function recall() {
    try {
      const kept = JSON.parse(localStorage.getItem(kKeep) || 'null');
      if (!kept) return;
      for (const [id, one] of kept.fresh) labels.set(id, one);
      if (kept.by) at('by').value = kept.by;
      unsaved = kept.unsaved || 0;
      place = Math.min(kept.place || 0, data.items.length - 1);
    } catch (error) {
      keeps = false;
    }
  }
  const labelled = (id) => labels.has(id) && labels.get(id).label !== null;

  function part(title, text, name) {
    const head = document.createElement('h2');
    head.textContent = title;
    const body = document.createElement('div');
    body.className = name;
    body.textContent = text;
    return [head, body];
  }
  function show() {
    const item = data.items[place];
    const parts = [...part('Prompt', item.prompt, 'text')];
    for (const [name, value] of item.vars) parts.push(...part(name, value, 'text'));
    if (item.expected) parts.push(...part('Expected', item.expected, 'text'));
    parts.push(...part('Response', item.answer, 'text answer'));
    at('texts').replaceChildren(...parts);
    at('place').textContent = `${place + 1} of ${data.items.length}`;
    const one = labels.get(item.id);
    at('state').textContent = labelled(item.id) ? one.label : '';
    at('note').value = one && one.note ? one.note : '';
    for (const button of at('choices').children) {
      button.setAttribute('aria-pressed', String(labelled(item.id) && button.value === one.label));
    }
    at('back').disabled = place === 0;
    at('next').disabled = place + 1 === data.items.length;
    at('undo').disabled = !labelled(item.id);
    const done = data.items.filter((each) => labelled(each.id)).length;
    at('progress').value = done / data.items.length;
    at('count').textContent = `${done} of ${data.items.length} labelled`;
    at('unsaved').textContent = unsaved > 0
      ? `${unsaved} not downloaded yet${keeps ? '' : '; this browser keeps nothing'}` : '';
  }
  function go(to) {
    if (to < 0 || to >= data.items.length) return;
    place = to;
    keep();
    show();
    scrollTo(0, 0);
  }
  // The next one without a label, from here on and then from the start.
  function open() {
    for (let step = 1; step <= data.items.length; ++step) {
      const to = (place + step) % data.items.length;
      if (!labelled(data.items[to].id)) return go(to);
    }
    return show();
  }
  function put(label) {
    const id = data.items[place].id;
    labels.set(id, {label, note: at('note').value.trim(), at: new Date().toISOString()});
    ++unsaved;
    keep();
  }
  function choose(label) {
    if (!at('by').value.trim()) {
      at('by').focus();
      at('count').textContent = 'Your name first: labels say whose they are.';
      return;
    }
    put(label);
    open();
  }
  function save() {
    const by = at('by').value.trim();
    if (!by) return at('by').focus();
    const lines = [];
    for (const item of data.items) {
      const one = labels.get(item.id);
      if (!one || one.old) continue;
      lines.push(`${JSON.stringify({
        request_id: item.id, response_digest: item.digest, evaluation: data.evaluation,
        grader: data.grader, scale: data.scale, label: one.label, by, at: one.at,
        ...(one.note ? {note: one.note} : {})})}\n`);
    }
    if (lines.length === 0) return undefined;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(lines, {type: 'application/jsonl'}));
    link.download = `labels-${data.grader}-${by}.jsonl`.replace(/[^\w.-]+/g, '_');
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    unsaved = 0;
    keep();
    return show();
  }
  async function load(file) {
    const known = new Map(data.items.map((item) => [item.id, item]));
    for (const line of (await file.text()).split('\n')) {
      let one = null;
      try { one = JSON.parse(line); } catch (error) { continue; }
      const item = one && known.get(one.request_id);
      const fits = item && item.digest === one.response_digest && one.grader === data.grader
        && one.scale === data.scale && one.evaluation === data.evaluation;
      if (!fits) continue;
      labels.set(item.id, {label: one.label, note: one.note || '', at: one.at});
      if (!at('by').value) at('by').value = one.by;
    }
    keep();
    open();
  }

  for (const [key, label] of data.choices) {
    const button = document.createElement('button');
    button.type = 'button';
    button.value = label;
    button.textContent = label;
    const hint = document.createElement('kbd');
    hint.textContent = key;
    if (key) button.append(hint);
    button.addEventListener('click', () => choose(label));
    at('choices').append(button);
  }
  const moves = {
    back: () => go(place - 1), next: () => go(place + 1), open, save,
    undo: () => { put(null); show(); }, load: () => at('file').click(),
  };
  for (const [id, move] of Object.entries(moves)) at(id).addEventListener('click', move);
  at('file').addEventListener('change', () => at('file').files[0] && load(at('file').files[0]));
  at('note').addEventListener('change', () => {
    const one = labels.get(data.items[place].id);
    if (labelled(data.items[place].id) && one.note !== at('note').value.trim()) put(one.label);
    show();
  });
  at('by').addEventListener('change', keep);
  const keys = {ArrowLeft: 'back', ArrowRight: 'next', k: 'back', j: 'next', o: 'open', u: 'undo',
                d: 'save'};
  document.addEventListener('keydown', (event) => {
    const types = event.target instanceof HTMLInputElement;
    if (types && (event.key === 'Escape' || event.key === 'Enter')) return event.target.blur();
    if (types || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const choice = data.choices.find(([key]) => key && key === event.key);
    if (!choice && event.key !== 'n' && !keys[event.key]) return undefined;
    event.preventDefault();
    if (choice) return choose(choice[1]);
    if (event.key === 'n') return at('note').focus();
    return moves[keys[event.key]]();
  });
  at('by').value = data.by;
  recall();
  if (labelled(data.items[place].id)) open(); else show();
