import { append, set, type Change, type Path } from './change.js';

/**
 * Where the reading of JSON that is still arriving stands. A small piece of JSON itself, so that it can live in the
 * state and the fold stays a pure function.
 */
export interface JsonParserState {
  readonly mode: Mode;
  /** The way to the current value: a key for each open object, an index for each open array. */
  readonly stack: readonly (string | number)[];
  /** The key, number or literal in progress. */
  readonly token: string;
  /** The digits of a \u escape in progress. */
  readonly digits: string;
  /** The string in progress is a key. */
  readonly inKey: boolean;
  /** Length of `stack` at which a key began that is left out; -1 while nothing is. */
  readonly skipFrom: number;
}

type Mode =
  | 'value'
  | 'first-value'
  | 'key'
  | 'first-key'
  | 'colon'
  | 'comma'
  | 'string'
  | 'escape'
  | 'unicode'
  | 'scalar'
  | 'end'
  | 'broken';

/** As deep as complete arguments may be; see `strictParse`. */
const MAX_DEPTH = 64;

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '/': '/',
  '\\': '\\',
  '"': '"',
};

const scalar = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

export const initialParser: JsonParserState = {
  mode: 'value',
  stack: [],
  token: '',
  digits: '',
  inKey: false,
  skipFrom: -1,
};

/**
 * Reads one more piece of JSON text. What it makes of the value goes into `changes`, below the path `at`: the cost is
 * that of the piece, however long the text before it, and snapshots of the value share what did not change.
 *
 * The view never contradicts the final value: strings in progress are shown, numbers and literals once they are whole.
 * Keys named `__proto__` are left out. Where the text breaks or nests too deeply, the view stays as it was.
 *
 * @returns where the reading stands now
 */
export function readPartialJson(
  before: JsonParserState,
  piece: string,
  at: Path,
  changes: Change[],
): JsonParserState {
  let { mode, token, digits, inKey, skipFrom } = before;
  const stack = [...before.stack];

  const put = (value: unknown) => {
    if (skipFrom < 0) changes.push(set([...at, ...stack], value));
  };
  const text = (value: string) => {
    if (inKey) token += value;
    else if (skipFrom < 0) changes.push(append([...at, ...stack], value));
  };
  const open = (container: [] | Record<string, never>, level: string | number, next: Mode) => {
    put(container);
    stack.push(level);
    mode = stack.length > MAX_DEPTH ? 'broken' : next;
  };
  const endValue = () => {
    if (stack.length === skipFrom) skipFrom = -1;
    mode = stack.length === 0 ? 'end' : 'comma';
  };
  const close = (isArray: boolean) => {
    if ((typeof stack.at(-1) === 'number') !== isArray || stack.length === 0) mode = 'broken';
    else {
      stack.pop();
      endValue();
    }
  };
  const startValue = (char: string) => {
    if (char === '{') open({}, '', 'first-key');
    else if (char === '[') open([], 0, 'first-value');
    else if (char === '"') {
      inKey = false;
      put('');
      mode = 'string';
    } else {
      token = char;
      mode = 'scalar';
    }
  };
  const startKey = (char: string) => {
    inKey = true;
    token = '';
    mode = char === '"' ? 'string' : 'broken';
  };
  const endString = () => {
    if (!inKey) return endValue();
    stack[stack.length - 1] = token;
    if (token === '__proto__' && skipFrom < 0) skipFrom = stack.length;
    mode = 'colon';
  };
  const endScalar = () => {
    if (!scalar.test(token)) mode = 'broken';
    else {
      put(JSON.parse(token));
      endValue();
    }
  };
  const next = () => {
    const level = stack[stack.length - 1]!;
    if (typeof level === 'number') stack[stack.length - 1] = level + 1;
    mode = typeof level === 'number' ? 'value' : 'key';
  };

  let i = 0;
  while (i < piece.length && mode !== 'broken' && mode !== 'end') {
    const char = piece[i]!;
    if (mode === 'string') {
      let end = i;
      while (end < piece.length && piece[end] !== '"' && piece[end] !== '\\') end++;
      if (end > i) text(piece.slice(i, end));
      if (piece[end] === '\\') mode = 'escape';
      else if (piece[end] === '"') endString();
      i = end + 1;
    } else if (mode === 'escape') {
      if (char === 'u') {
        digits = '';
        mode = 'unicode';
      } else if (Object.hasOwn(escapes, char)) {
        text(escapes[char]!);
        mode = 'string';
      } else mode = 'broken';
      i++;
    } else if (mode === 'unicode') {
      digits += char;
      i++;
      if (!/^[0-9a-fA-F]+$/.test(digits)) mode = 'broken';
      else if (digits.length === 4) {
        text(String.fromCharCode(parseInt(digits, 16)));
        mode = 'string';
      }
    } else if (mode === 'scalar') {
      if (/[\s,}\]]/.test(char)) endScalar();
      else {
        token += char;
        i++;
      }
    } else {
      i++;
      if (char === ' ' || char === '\n' || char === '\r' || char === '\t') continue;
      if (char === ']' && (mode === 'first-value' || mode === 'comma')) close(true);
      else if (char === '}' && (mode === 'first-key' || mode === 'comma')) close(false);
      else if (mode === 'value' || mode === 'first-value') startValue(char);
      else if (mode === 'key' || mode === 'first-key') startKey(char);
      else if (mode === 'colon' && char === ':') mode = 'value';
      else if (mode === 'comma' && char === ',') next();
      else mode = 'broken';
    }
  }
  return { mode, stack, token, digits, inKey, skipFrom };
}
