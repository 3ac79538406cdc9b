  // What is searched for stands in the address, so that each search can be passed on.
  const kFilters = ['show', ...Object.keys(choices), 'grader'];
  function state() {
    const all = new URLSearchParams();
    const put = (name, value) => { if (value) all.set(name, value); };
    put('q', at('search').value);
    for (const id of kFilters) put(id, at(id).value);
    for (const name of ['item', 'id']) put(name, view.exact[name]);
    if (view.order !== null) {
      put('sort', `${view.descending ? '-' : ''}${columns.find((c) => c[1] === view.order)[0]}`);
    }
    return all;
  }
  function remember() {
    const all = String(state());
    history.replaceState(null, '', all ? `#${all}` : location.pathname + location.search);
  }
  function apply(text) {
    const all = new URLSearchParams(text);
    at('search').value = all.get('q') || '';
    for (const id of kFilters) {
      at(id).value = all.get(id) || '';
      if (at(id).selectedIndex < 0) at(id).value = '';  // An address of another report.
    }
    view.exact = {item: all.get('item') || '', id: all.get('id') || ''};
    const order = (all.get('sort') || '').replace(/^-/, '');
    const column = columns.find(([title]) => title === order);
    view.order = column ? column[1] : null;
    view.descending = (all.get('sort') || '').startsWith('-');
    view.opens = all.size > 0 || String(all) !== '';
    at('exact').textContent = [view.exact.item && `item ${view.exact.item}`,
                               view.exact.id && `request ${view.exact.id}`].filter(Boolean)
      .join(', ');
  }
  function changed() {
    view.opens = false;
    search();
    remember();
  }
  function option(id, value) {
    const element = make('option', value);
    element.value = value;
    at(id).append(element);
  }
  for (const [title, index, , name] of columns) {
    const head = make('th', undefined, name);
    head.scope = 'col';
    const button = make('button', title, 'link');
    button.type = 'button';
    button.addEventListener('click', () => {
      view.descending = view.order === index && !view.descending;
      view.order = index;
      changed();
      for (const other of at('heads').children) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', view.descending ? 'descending' : 'ascending');
    });
    head.append(button);
    at('heads').append(head);
  }
  for (const [id, index] of Object.entries(choices)) {
    const values = [...new Set(rows.map((row) => row[index] || '(none)'))].sort();
    for (const value of values) option(id, value);
    at(id).hidden = values.length < 2;
  }
  const graders = [...new Set(rows.flatMap((row) => row[GRADES].map((grade) => grade[0])))].sort();
  for (const name of graders) option('grader', name);
  at('grader').hidden = graders.length < 2;
  at('show').hidden = graders.length === 0 && !rows.some(failed);
  for (const id of kFilters) at(id).addEventListener('change', changed);
  let waiting = 0;
  at('search').addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(changed, 150);
  });
  at('clear').addEventListener('click', () => {
    apply('');
    changed();
    at('search').focus();
  });
  at('back').addEventListener('click', () => { view.first -= kPage; show(); });
  at('next').addEventListener('click', () => { view.first += kPage; show(); });
  narrow.addEventListener('change', show);
  addEventListener('hashchange', () => {
    if (location.hash === '#requests') return;  // The browser goes there by itself.
    apply(location.hash.slice(1));
    search();
    at('requests').scrollIntoView();
    at('requests').focus({preventScroll: true});
  });
  startMatrix();
  apply(location.hash.slice(1));
  search();
