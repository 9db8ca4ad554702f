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
 * Reads one more piece of JSON text. The changes of the value, below the path `at`, are added to `changes`: the cost is
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
  const reader = new PieceReader(before, at, changes);
  reader.read(piece);
  return reader.state;
}

/** Reads one piece, beginning where the piece before it ended. */
class PieceReader {
  private mode: Mode;
  private readonly stack: (string | number)[];
  private token: string;
  private digits: string;
  private inKey: boolean;
  private skipFrom: number;

  constructor(
    before: JsonParserState,
    private readonly at: Path,
    private readonly changes: Change[],
  ) {
    this.mode = before.mode;
    this.stack = [...before.stack];
    this.token = before.token;
    this.digits = before.digits;
    this.inKey = before.inKey;
    this.skipFrom = before.skipFrom;
  }

  get state(): JsonParserState {
    const { mode, stack, token, digits, inKey, skipFrom } = this;
    return { mode, stack, token, digits, inKey, skipFrom };
  }

  read(piece: string): void {
    let i = 0;
    while (i < piece.length && this.mode !== 'broken' && this.mode !== 'end') {
      const char = piece[i]!;
      // The character that ends a number or a literal belongs to what follows it.
      if (this.mode === 'scalar' && /[\s,}\]]/.test(char)) this.endScalar();
      else if (this.mode === 'string') i = this.readString(piece, i);
      else {
        i++;
        this.readChar(char);
      }
    }
  }

  /** Reads up to the end of the string, an escape, or the piece; returns the position behind that. */
  private readString(piece: string, from: number): number {
    let end = from;
    while (end < piece.length && piece[end] !== '"' && piece[end] !== '\\') end++;
    if (end > from) this.text(piece.slice(from, end));
    if (piece[end] === '\\') this.mode = 'escape';
    else if (piece[end] === '"') this.endString();
    return end + 1;
  }

  private readChar(char: string): void {
    if (this.mode === 'scalar') this.token += char;
    else if (this.mode === 'escape') this.readEscape(char);
    else if (this.mode === 'unicode') this.readDigit(char);
    else if (char !== ' ' && char !== '\n' && char !== '\r' && char !== '\t') this.readStructure(char);
  }

  private readEscape(char: string): void {
    if (char === 'u') {
      this.digits = '';
      this.mode = 'unicode';
    } else if (Object.hasOwn(escapes, char)) {
      this.text(escapes[char]!);
      this.mode = 'string';
    } else this.mode = 'broken';
  }

  private readDigit(char: string): void {
    this.digits += char;
    if (!/^[0-9a-fA-F]+$/.test(this.digits)) this.mode = 'broken';
    else if (this.digits.length === 4) {
      this.text(String.fromCharCode(parseInt(this.digits, 16)));
      this.mode = 'string';
    }
  }

  /** Outside of strings, numbers and literals. */
  private readStructure(char: string): void {
    const { mode } = this;
    if (char === ']' && (mode === 'first-value' || mode === 'comma')) this.close(true);
    else if (char === '}' && (mode === 'first-key' || mode === 'comma')) this.close(false);
    else if (mode === 'value' || mode === 'first-value') this.startValue(char);
    else if (mode === 'key' || mode === 'first-key') this.startKey(char);
    else if (mode === 'colon' && char === ':') this.mode = 'value';
    else if (mode === 'comma' && char === ',') this.next();
    else this.mode = 'broken';
  }

  private put(value: unknown): void {
    if (this.skipFrom < 0) this.changes.push(set([...this.at, ...this.stack], value));
  }

  private text(value: string): void {
    if (this.inKey) this.token += value;
    else if (this.skipFrom < 0) this.changes.push(append([...this.at, ...this.stack], value));
  }

  private startValue(char: string): void {
    if (char === '{') this.open({}, '', 'first-key');
    else if (char === '[') this.open([], 0, 'first-value');
    else if (char === '"') {
      this.inKey = false;
      this.put('');
      this.mode = 'string';
    } else {
      this.token = char;
      this.mode = 'scalar';
    }
  }

  private startKey(char: string): void {
    this.inKey = true;
    this.token = '';
    this.mode = char === '"' ? 'string' : 'broken';
  }

  private endString(): void {
    const { stack, token } = this;
    if (!this.inKey) return this.endValue();
    stack[stack.length - 1] = token;
    if (token === '__proto__' && this.skipFrom < 0) this.skipFrom = stack.length;
    this.mode = 'colon';
  }

  private endScalar(): void {
    if (!scalar.test(this.token)) this.mode = 'broken';
    else {
      this.put(JSON.parse(this.token));
      this.endValue();
    }
  }

  private open(container: [] | Record<string, never>, level: string | number, next: Mode): void {
    this.put(container);
    this.stack.push(level);
    this.mode = this.stack.length > MAX_DEPTH ? 'broken' : next;
  }

  private close(isArray: boolean): void {
    const { stack } = this;
    if ((typeof stack.at(-1) === 'number') !== isArray || stack.length === 0) this.mode = 'broken';
    else {
      stack.pop();
      this.endValue();
    }
  }

  private endValue(): void {
    const { length } = this.stack;
    if (length === this.skipFrom) this.skipFrom = -1;
    this.mode = length === 0 ? 'end' : 'comma';
  }

  /** Behind a comma. */
  private next(): void {
    const { stack } = this;
    const level = stack[stack.length - 1]!;
    if (typeof level === 'number') stack[stack.length - 1] = level + 1;
    this.mode = typeof level === 'number' ? 'value' : 'key';
  }
}
