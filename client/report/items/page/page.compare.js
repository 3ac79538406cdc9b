  // Marks what differs between the answers of A and B.
  function make(tag, text) {
    const element = document.createElement(tag);
    element.textContent = text;
    return element;
  }
  for (const sides of document.querySelectorAll('.sides')) {
    const [before, after] = sides.querySelectorAll('pre');
    const parts = diff(before.textContent, after.textContent);
    for (const [box, own, tag] of [[before, -1, 'del'], [after, 1, 'ins']]) {
      box.replaceChildren(...parts.filter(([kind]) => kind === 0 || kind === own)
        .map(([kind, text]) => kind === 0 ? text : make(tag, text)));
    }
  }
