const escapes = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', '/': '/', '\\': '\\', '"': '"' };

/**
 * The floor's reader of incomplete JSON. It extends one object in place, so that the cost of a fragment depends only on its
 * length. For well-formed JSON only: nothing is checked, and `root` is changed in place after it was read.
 */
export class IncrementalJson {
  root = undefined;
  #stack = []; // { node, isArray, key }
  #mode = 'value'; // value | key | colon | comma | string | escape | unicode | scalar
  #isKey = false;
  #token = '';
  #digits = '';

  write(piece) {
    let i = 0;
    while (i < piece.length) {
      const char = piece[i];
      if (this.#mode === 'string') {
        let end = i;
        while (end < piece.length && piece[end] !== '"' && piece[end] !== '\\') end++;
        if (end > i) this.#text(piece.slice(i, end));
        if (piece[end] === '\\') this.#mode = 'escape';
        else if (piece[end] === '"') this.#endString();
        i = end + 1;
      } else if (this.#mode === 'scalar') {
        if (char === ',' || char === '}' || char === ']' || isSpace(char)) this.#endScalar();
        else {
          this.#token += char;
          i++;
        }
      } else {
        if (this.#mode === 'escape') this.#escape(char);
        else if (this.#mode === 'unicode') this.#unicode(char);
        else if (!isSpace(char)) this.#structure(char);
        i++;
      }
    }
  }

  #text(text) {
    this.#token += text;
    if (!this.#isKey) this.#replace(this.#token);
  }

  #endString() {
    if (this.#isKey) this.#top.key = this.#token;
    this.#mode = this.#isKey ? 'colon' : 'comma';
    this.#token = '';
  }

  #endScalar() {
    this.#put(JSON.parse(this.#token));
    this.#token = '';
    this.#mode = 'comma';
  }

  #escape(char) {
    if (char === 'u') {
      this.#digits = '';
      this.#mode = 'unicode';
    } else {
      this.#text(escapes[char]);
      this.#mode = 'string';
    }
  }

  #unicode(char) {
    this.#digits += char;
    if (this.#digits.length < 4) return;
    this.#text(String.fromCharCode(parseInt(this.#digits, 16)));
    this.#mode = 'string';
  }

  #structure(char) {
    if (char === '"') {
      this.#isKey = this.#mode === 'key';
      this.#token = '';
      if (!this.#isKey) this.#put('');
      this.#mode = 'string';
    } else if (char === '{' || char === '[') {
      const isArray = char === '[';
      const node = isArray ? [] : {};
      this.#put(node);
      this.#stack.push({ node, isArray, key: '' });
      this.#mode = isArray ? 'value' : 'key';
    } else if (char === '}' || char === ']') {
      this.#stack.pop();
      this.#mode = 'comma';
    } else if (char === ':') this.#mode = 'value';
    else if (char === ',') this.#mode = this.#top.isArray ? 'value' : 'key';
    else {
      this.#token = char;
      this.#mode = 'scalar';
    }
  }

  get #top() {
    return this.#stack[this.#stack.length - 1];
  }

  #put(value) {
    const top = this.#top;
    if (!top) this.root = value;
    else if (top.isArray) top.node.push(value);
    else top.node[top.key] = value;
  }

  #replace(value) {
    const top = this.#top;
    if (top?.isArray) top.node[top.node.length - 1] = value;
    else this.#put(value);
  }
}

function isSpace(char) {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}
