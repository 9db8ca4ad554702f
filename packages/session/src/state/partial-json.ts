import { append, set, type Change, type Path } from './change.js';

/** The state of a parser whose text is still arriving. It is JSON, so that it can be kept in the state of the pure fold. */
export interface JsonParserState {
  readonly mode: Mode;
  /** The path of the current value: a key for each open object, an index for each open array. */
  readonly stack: readonly (string | number)[];
  /** The key, number or literal in progress. */
  readonly token: string;
  /** The digits of a \u escape in progress. */
  readonly digits: string;
  /** Whether the string in progress is a key. */
  readonly inKey: boolean;
  /** The length of `stack` at the key that is being left out; -1 if no key is. */
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

/** The deepest nesting, as for complete arguments; see `strictParse`. */
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
 * Reads one more piece of JSON text, and adds the changes of the value to `changes`, with paths that begin with `at`. The time depends only
 * on the length of the piece, not on the length of the earlier text. Snapshots of the value share the unchanged nodes.
 *
 * A partial value never contradicts the final value: a string is present from its first character on, a number or a literal when it is
 * complete. Keys named `__proto__` are left out. After an error in the text, or nesting that is too deep, the value stays as it is.
 *
 * @returns the state of the parser after the piece
 */
export function readPartialJson(
  before: JsonParserState,
  piece: string,
  at: Path,
  changes: Change[],
): JsonParserState {
  return new PieceReader(before, piece, at, changes).read();
}

/** Reads one piece. Each method named `read…` returns the index of the next character. */
class PieceReader {
  private mode: Mode;
  private readonly stack: (string | number)[];
  private token: string;
  private digits: string;
  private inKey: boolean;
  private skipFrom: number;

  constructor(
    before: JsonParserState,
    private readonly piece: string,
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

  read(): JsonParserState {
    for (let i = 0; i < this.piece.length && this.mode !== 'broken' && this.mode !== 'end';) {
      if (this.mode === 'string') i = this.readString(i);
      else if (this.mode === 'escape') i = this.readEscape(i);
      else if (this.mode === 'unicode') i = this.readDigit(i);
      else if (this.mode === 'scalar') i = this.readScalar(i);
      else i = this.readStructure(i);
    }
    const { mode, stack, token, digits, inKey, skipFrom } = this;
    return { mode, stack, token, digits, inKey, skipFrom };
  }

  private readString(start: number): number {
    const { piece } = this;
    let end = start;
    while (end < piece.length && piece[end] !== '"' && piece[end] !== '\\') end++;
    if (end > start) this.append(piece.slice(start, end));
    if (piece[end] === '\\') this.mode = 'escape';
    else if (piece[end] === '"') this.endString();
    return end + 1;
  }

  private readEscape(i: number): number {
    const char = this.piece[i]!;
    if (char === 'u') {
      this.digits = '';
      this.mode = 'unicode';
    } else if (Object.hasOwn(escapes, char)) {
      this.append(escapes[char]!);
      this.mode = 'string';
    } else this.mode = 'broken';
    return i + 1;
  }

  private readDigit(i: number): number {
    this.digits += this.piece[i]!;
    if (!/^[0-9a-fA-F]+$/.test(this.digits)) this.mode = 'broken';
    else if (this.digits.length === 4) {
      this.append(String.fromCharCode(parseInt(this.digits, 16)));
      this.mode = 'string';
    }
    return i + 1;
  }

  /** Reads a number or a literal. Leaves the character after it to `readStructure`. */
  private readScalar(i: number): number {
    const char = this.piece[i]!;
    if (/[\s,}\]]/.test(char)) {
      this.endScalar();
      return i;
    }
    this.token += char;
    return i + 1;
  }

  private readStructure(i: number): number {
    const char = this.piece[i]!;
    const { mode } = this;
    if (char === ' ' || char === '\n' || char === '\r' || char === '\t') return i + 1;
    if (char === ']' && (mode === 'first-value' || mode === 'comma')) this.close(true);
    else if (char === '}' && (mode === 'first-key' || mode === 'comma')) this.close(false);
    else if (mode === 'value' || mode === 'first-value') this.startValue(char);
    else if (mode === 'key' || mode === 'first-key') this.startKey(char);
    else if (mode === 'colon' && char === ':') this.mode = 'value';
    else if (mode === 'comma' && char === ',') this.startNext();
    else this.mode = 'broken';
    return i + 1;
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

  private startNext(): void {
    const { stack } = this;
    const level = stack[stack.length - 1]!;
    if (typeof level === 'number') stack[stack.length - 1] = level + 1;
    this.mode = typeof level === 'number' ? 'value' : 'key';
  }

  private open(container: [] | Record<string, never>, level: string | number, next: Mode): void {
    this.put(container);
    this.stack.push(level);
    this.mode = this.stack.length > MAX_DEPTH ? 'broken' : next;
  }

  private close(isArray: boolean): void {
    const { stack } = this;
    if ((typeof stack[stack.length - 1] === 'number') !== isArray) this.mode = 'broken';
    else {
      stack.pop();
      this.endValue();
    }
  }

  private endString(): void {
    if (!this.inKey) return this.endValue();
    const { stack, token } = this;
    stack[stack.length - 1] = token;
    if (token === '__proto__' && this.skipFrom < 0) this.skipFrom = stack.length;
    this.mode = 'colon';
  }

  private endScalar(): void {
    const value: unknown = scalar.test(this.token) ? JSON.parse(this.token) : Infinity;
    // Infinity is not JSON: the number is too large, or the token is invalid.
    if (value === Infinity || value === -Infinity) this.mode = 'broken';
    else {
      this.put(value);
      this.endValue();
    }
  }

  private endValue(): void {
    const { length } = this.stack;
    if (length === this.skipFrom) this.skipFrom = -1;
    this.mode = length === 0 ? 'end' : 'comma';
  }

  private put(value: unknown): void {
    if (this.skipFrom < 0) this.changes.push(set([...this.at, ...this.stack], value));
  }

  private append(text: string): void {
    if (this.inKey) this.token += text;
    else if (this.skipFrom < 0) this.changes.push(append([...this.at, ...this.stack], text));
  }
}
