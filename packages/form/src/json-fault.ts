/** A position in a string, counted from 1. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

const mark = String.raw`([{}[\],:])`;
const plainChars = String.raw`[^"\\\u0000-\u001f]*`;
const string = String.raw`("${plainChars}(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})${plainChars})*")`;
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])`;
const word = String.raw`(?:true|false|null)(?!\w)`;
const token = new RegExp(String.raw`[ \t\n\r]*(?:${mark}|${string}|(${number}|${word}))`, 'y');

/** Returns the position of the first error in invalid JSON. Browsers describe the position differently, or not at all. */
export function jsonFault(text: string): TextPosition {
  const open: string[] = [];
  // `next` is what must come next. After `{` and `[`, the closing bracket may come too.
  let next: 'value' | 'first' | 'key' | 'first key' | 'colon' | 'end' = 'value';
  let at = 0;
  while (true) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found) return positionOf(text, at);
    const [, sign, quoted, plain] = found;
    const start = token.lastIndex - (sign ?? quoted ?? plain)!.length;
    const takesValue = next === 'value' || next === 'first';
    const closes = next === 'end' || (sign === '}' ? next === 'first key' : next === 'first');
    if (takesValue && (quoted !== undefined || plain !== undefined)) next = 'end';
    else if (takesValue && (sign === '{' || sign === '[')) {
      open.push(sign);
      next = sign === '{' ? 'first key' : 'first';
    } else if (quoted !== undefined && (next === 'key' || next === 'first key')) next = 'colon';
    else if (sign === ':' && next === 'colon') next = 'value';
    else if (sign === ',' && next === 'end' && open.length > 0) next = open.at(-1) === '{' ? 'key' : 'value';
    else if (closes && sign === (open.at(-1) === '{' ? '}' : ']') && open.length > 0) {
      open.pop();
      next = 'end';
    } else return positionOf(text, start);
    at = token.lastIndex;
  }
}

function positionOf(text: string, from: number): TextPosition {
  const at = from + /^[ \t\n\r]*/.exec(text.slice(from))![0].length;
  const lines = text.slice(0, at).split('\n');
  return { line: lines.length, column: lines.at(-1)!.length + 1 };
}
