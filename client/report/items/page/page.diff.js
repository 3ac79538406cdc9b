  // What differs between two texts, word by word: [same | -1 | +1, text] parts. Texts of many words
  // are not compared: the table of a longest common part would be too large.
  const kWordsMax = 1200;
  function diff(before, after) {
    const words = (text) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) || [];
    const [a, b] = [words(before), words(after)];
    if (a.length > kWordsMax || b.length > kWordsMax) return [[-1, before], [1, after]];
    const wide = b.length + 1;
    const common = new Uint16Array((a.length + 1) * wide);
    for (let i = a.length - 1; i >= 0; --i) {
      for (let j = b.length - 1; j >= 0; --j) {
        common[i * wide + j] = a[i] === b[j] ? common[(i + 1) * wide + j + 1] + 1
          : Math.max(common[(i + 1) * wide + j], common[i * wide + j + 1]);
      }
    }
    const parts = [];
    const put = (kind, text) => {
      if (parts.length && parts.at(-1)[0] === kind) parts.at(-1)[1] += text;
      else parts.push([kind, text]);
    };
    let [i, j] = [0, 0];
    while (i < a.length || j < b.length) {
      if (i < a.length && j < b.length && a[i] === b[j]) { put(0, a[i++]); ++j; continue; }
      const drops = j >= b.length
        || (i < a.length && common[(i + 1) * wide + j] >= common[i * wide + j + 1]);
      if (drops) put(-1, a[i++]);
      else put(1, b[j++]);
    }
    return parts;
  }
  // Expected and actual beside each other; each marks what the other one has not.
  function sideBySide(expected, actual) {
    const parts = diff(expected, actual);
    const side = (title, kind, tag) => {
      const box = make('div');
      const text = make('pre');
      for (const [of, part] of parts) {
        if (of === 0) text.append(part);
        else if (of === kind) text.append(make(tag, part));
      }
      box.append(make('h3', title), text);
      return box;
    };
    const both = make('div', undefined, 'sides');
    both.append(side('Expected', -1, 'del'), side('Actual', 1, 'ins'));
    return both;
  }
