import { AgentSessionError } from '@banister/session';

/** A value of the frontmatter: a text, a list of texts, or texts by name. */
export type Value = string | readonly string[] | ReadonlyMap<string, string>;

/** A field of the frontmatter, with the line of its key in the file. */
export interface Field {
  readonly value: Value;
  /** 1-based. */
  readonly line: number;
}

/** A file with frontmatter. */
export interface Document {
  readonly fields: ReadonlyMap<string, Field>;
  /** The text after the frontmatter, without the empty lines around it. */
  readonly body: string;
}

interface Line {
  readonly text: string;
  readonly indent: number;
  /** 1-based, in the file. */
  readonly number: number;
}

/**
 * Returns the error of a line of a file.
 *
 * @param file the name of the file for the message
 */
export function lineError(file: string, line: number, problem: string): AgentSessionError {
  return new AgentSessionError('invalid-configuration', `${file}, line ${line}: ${problem}.`);
}

/**
 * Reads the part of YAML that the frontmatter of skills uses: flat keys with plain and quoted texts, `>` and `|` blocks, lists, and one level
 * below a key. A plain text may contain a colon. Throws `invalid-configuration` with the line for everything else.
 *
 * @param file the name of the file for messages
 */
export function readDocument(text: string, file: string): Document {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  if (lines[0]?.trimEnd() !== '---') throw lineError(file, 1, 'the file has to begin with "---"');
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end < 0) throw lineError(file, lines.length, 'a line "---" has to end the frontmatter');
  const inside = lines
    .slice(1, end)
    .map((line, index): Line => ({ text: line, indent: line.search(/[^ ]|$/), number: index + 2 }));
  return {
    fields: new Reader(inside, file).fields(),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

const KEY = /^([A-Za-z0-9_][\w.-]*|"[^"]+"|'[^']+')\s*:(?:\s+(.*)|)$/s;

/** The characters with which a text without quotes cannot begin, because they have a meaning of their own in YAML. */
const SPECIAL = /^[&*!{?%@`]/;

/** Reads lines from the first to the last. */
class Reader {
  private next = 0;

  constructor(
    private readonly lines: readonly Line[],
    private readonly file: string,
  ) {}

  fields(): ReadonlyMap<string, Field> {
    const fields = new Map<string, Field>();
    for (let line = this.taken(); line !== undefined; line = this.taken()) {
      if (line.indent > 0) throw this.error(line, 'the line is indented, and belongs to no key');
      const { key, rest } = this.keyOf(line);
      if (fields.has(key)) throw this.error(line, `the key "${key}" is there twice`);
      fields.set(key, { value: this.value(rest, line), line: line.number });
    }
    return fields;
  }

  private value(rest: string, line: Line): Value {
    if (rest !== '') return rest.startsWith('[') ? this.flow(rest, line) : this.scalar(rest, line);
    const first = this.peek();
    const isItem = first !== undefined && /^\s*-(\s|$)/.test(first.text);
    if (first === undefined || (first.indent === 0 && !isItem)) return '';
    if (isItem) return this.items(first.indent);
    return KEY.test(first.text.trim()) ? this.texts(first.indent) : this.scalar('', line);
  }

  /** Reads the lines `- item`. */
  private items(indent: number): readonly string[] {
    const items: string[] = [];
    for (let line = this.peek(); line !== undefined; line = this.peek()) {
      const item = /^-(?:\s+(.*)|)$/s.exec(line.text.trim());
      if (line.indent !== indent || item === null) break;
      this.next++;
      items.push(this.scalar(withoutComment(item[1] ?? ''), line));
    }
    return items;
  }

  /** Reads the lines `key: text` below a key. */
  private texts(indent: number): ReadonlyMap<string, string> {
    const texts = new Map<string, string>();
    for (let line = this.peek(); line !== undefined && line.indent > 0; line = this.peek()) {
      if (line.indent !== indent) throw this.error(line, 'only one level below a key is read');
      this.next++;
      const { key, rest } = this.keyOf(line);
      if (texts.has(key)) throw this.error(line, `the key "${key}" is there twice`);
      const below = this.peek();
      if (rest === '' && below !== undefined && below.indent > indent)
        throw this.error(below, 'only one level below a key is read');
      texts.set(key, rest.startsWith('[') ? this.flow(rest, line).join(', ') : this.scalar(rest, line));
    }
    return texts;
  }

  private keyOf(line: Line): { readonly key: string; readonly rest: string } {
    const match = KEY.exec(line.text.trim());
    if (match === null) throw this.error(line, 'the line is not "key: text"');
    return { key: match[1]!.replace(/^["']|["']$/g, ''), rest: withoutComment((match[2] ?? '').trim()) };
  }

  /** Reads a list in one line: `[one, "two"]`. */
  private flow(text: string, line: Line): readonly string[] {
    const inside = /^\[(.*)\]$/.exec(text)?.[1];
    if (inside === undefined) throw this.error(line, 'a list has to end with "]" in the same line');
    const items = inside.match(/\s*("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,]*)\s*(?:,|$)/g) ?? [];
    return items
      .map((item) => item.replace(/,\s*$/, '').trim())
      .flatMap((item) => (item === '' ? [] : [this.plainOrQuoted(item, line)]));
  }

  private scalar(text: string, line: Line): string {
    const block = /^([|>])([+-]?[1-9]?|[1-9][+-])$/.exec(text);
    if (block !== null) return this.block(block[1] === '>', block[2]!, line);
    if (text.startsWith('"') || text.startsWith("'")) return this.plainOrQuoted(this.whole(text, line), line);
    return this.plainOrQuoted([text, ...this.continued(line)].join(' ').trim(), line);
  }

  /** Returns a quoted text with the lines that follow until its closing quote. */
  private whole(text: string, line: Line): string {
    const isDouble = text.startsWith('"');
    const closes = isDouble ? /^(?:[^"\\]|\\.)*"$/ : /^(?:[^']|'')*'$/;
    const pieces = [text];
    let isOpen = !closes.test(text.slice(1));
    for (let one = this.peek(); isOpen && one !== undefined && one.indent > line.indent; one = this.peek()) {
      this.next++;
      const piece = one.text.trim().replace(isDouble ? /"\s+#.*$/ : /'\s+#.*$/, (end) => end[0]!);
      pieces.push(piece);
      isOpen = !closes.test(piece);
    }
    return pieces.join(' ');
  }

  /** Takes the lines that are indented deeper than the line of a plain text. */
  private continued(line: Line): readonly string[] {
    const more: string[] = [];
    for (let one = this.peek(); one !== undefined && one.indent > line.indent; one = this.peek()) {
      this.next++;
      more.push(withoutComment(one.text.trim()));
    }
    return more;
  }

  /** Reads a block of text. `>` joins its lines by spaces, and `|` keeps them. */
  private block(folds: boolean, indicator: string, line: Line): string {
    const texts: string[] = [];
    const given = Number(/[1-9]/.exec(indicator)?.[0] ?? 0);
    let indent = given === 0 ? 0 : line.indent + given;
    for (let one = this.lines[this.next]; one !== undefined; one = this.lines[this.next]) {
      const isEmpty = one.text.trim() === '';
      if (!isEmpty && indent === 0) indent = one.indent;
      if (!isEmpty && (one.indent < indent || one.indent <= line.indent)) break;
      this.next++;
      texts.push(isEmpty ? '' : one.text.slice(indent));
    }
    if (!indicator.includes('+')) while (texts.at(-1) === '') texts.pop();
    return folds ? folded(texts) : texts.join('\n');
  }

  private plainOrQuoted(text: string, line: Line): string {
    const [quote] = text;
    if (quote === "'") {
      if (!/^'(?:[^']|'')*'$/.test(text)) throw this.error(line, 'the quote is not closed');
      return text.slice(1, -1).replaceAll("''", "'");
    }
    if (quote === '"') return this.unescaped(text, line);
    if (SPECIAL.test(text)) throw this.error(line, `a text that begins with "${quote}" needs quotes`);
    return text === '~' || text === 'null' ? '' : text;
  }

  private unescaped(text: string, line: Line): string {
    if (!/^"(?:[^"\\]|\\.)*"$/.test(text)) throw this.error(line, 'the quote is not closed');
    try {
      return JSON.parse(text.replaceAll('\t', '\\t')) as string;
    } catch {
      throw this.error(line, 'the quoted text has an escape that JSON does not have');
    }
  }

  private peek(): Line | undefined {
    while (this.next < this.lines.length && isBlank(this.lines[this.next]!)) this.next++;
    const line = this.lines[this.next];
    if (line?.text[line.indent] === '\t') throw this.error(line, 'a tab cannot indent a line');
    return line;
  }

  private taken(): Line | undefined {
    const line = this.peek();
    this.next++;
    return line;
  }

  private error({ number }: Line, problem: string): AgentSessionError {
    return lineError(this.file, number, problem);
  }
}

function isBlank({ text }: Line): boolean {
  return text.trim() === '' || text.trimStart().startsWith('#');
}

/** Returns a text without the comment at its end. Inside quotes, `#` does not begin a comment. */
function withoutComment(text: string): string {
  const quoted = /^("(?:[^"\\]|\\.)*"|'(?:[^']|'')*')\s*(#.*)?$/.exec(text);
  if (quoted !== null) return quoted[1]!;
  return /^["']/.test(text) ? text : text.replace(/(^|\s)#.*$/, '').trim();
}

/** Joins lines by spaces. An empty line becomes a line break. A line that is indented deeper keeps its line break and its spaces. */
function folded(lines: readonly string[]): string {
  let text = '';
  lines.forEach((line, index) => {
    const before = lines[index - 1];
    const keeps = line === '' || line.startsWith(' ') || before?.startsWith(' ');
    if (index === 0) text = line;
    else if (before === '') text += line === '' ? '\n' : line;
    else text += keeps ? `\n${line}` : ` ${line}`;
  });
  return text;
}
