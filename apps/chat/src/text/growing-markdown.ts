import MarkdownIt, { type Env, type Token } from 'markdown-it';
import remend, { type RemendOptions } from 'remend';
import { MarkdownNodes, type MarkdownNodesOptions } from './markdown-nodes.js';
import { patchNodes } from './patch-nodes.js';
import { visibleText } from './visible-text.js';

/**
 * The number of characters that are parsed at a time. A longer block is shown unparsed, unless it is code.
 */
export const PARSED_AT_A_TIME = 8_000;

// Raw HTML is text. Nesting is limited: ten thousand `>` are no deeper than twenty.
const parser = new MarkdownIt({ html: false, linkify: true, maxNesting: 20 });
// Only text with a protocol becomes a link; `read.me` does not.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/**
 * Marks that are closed although their end has not arrived. A link is shown as its text until it has a
 * target.
 */
const halfWritten: RemendOptions = {
  linkMode: 'text-only',
  images: false,
  htmlTags: false,
  setextHeadings: false,
  comparisonOperators: false,
  singleTilde: false,
};

type References = NonNullable<Env['references']>;

/**
 * Markdown that is still being written. Blocks that can no longer change are parsed once and stay on the
 * page. Only the last block is parsed again when text is added.
 */
export class GrowingMarkdown {
  private nodes: MarkdownNodes;
  private references: References = Object.create(null) as References;
  /** The text whose blocks can no longer change, and the number of their nodes. */
  private settledText = '';
  private settledNodes = 0;
  private isComplete = false;

  constructor(
    private readonly root: HTMLElement,
    private readonly options: MarkdownNodesOptions = {},
  ) {
    this.nodes = new MarkdownNodes(options);
  }

  /**
   * Draws the next piece of the text, in bounded time for any text.
   *
   * @param isGrowing whether more may come; then a half-written end is shown as what it will probably become
   * @returns whether all of the text is on the page now; otherwise call again
   */
  draw(given: string, isGrowing: boolean): boolean {
    const text = given.replace(/\r\n?/g, '\n');
    if (!text.startsWith(this.settledText) || (this.isComplete && isGrowing)) this.reset();
    if (!isGrowing && !this.isComplete) this.complete(text);

    const tail = text.slice(this.settledText.length);
    const source = tail.slice(0, lengthToParse(tail));
    const isAll = source.length === tail.length;
    const starts = blockStarts(source, this.parseAside(source));
    const settled = source.slice(0, isAll ? settledLength(source, starts) : starts.at(-1));
    const drawn = document.createDocumentFragment();
    if (settled !== '') drawn.append(this.settle(settled));
    else if (!isAll) drawn.append(this.settleWhole(source));
    const count = drawn.childNodes.length;
    if (isAll) drawn.append(this.last(source.slice(settled.length), isGrowing));
    patchNodes(this.root, this.settledNodes, drawn);
    this.settledNodes += count;
    return isAll;
  }

  private reset(): void {
    this.nodes = new MarkdownNodes(this.options);
    this.references = Object.create(null) as References;
    this.settledText = '';
    this.settledNodes = 0;
    this.isComplete = false;
  }

  /**
   * When the text is complete, a link may use a target that is defined later, so all definitions are read
   * first.
   */
  private complete(text: string): void {
    const definitions = text.match(/^ {0,3}\[[^\]\n]{1,999}\]:.*$/gm);
    if (definitions) {
      this.reset();
      this.parse(definitions.join('\n').slice(0, PARSED_AT_A_TIME));
    }
    this.isComplete = true;
  }

  private settle(source: string): Node {
    this.settledText += source;
    return this.nodes.render(this.parse(source));
  }

  /**
   * Settles a block that is too long to be parsed repeatedly. Code is not too long, because its lines are
   * never parsed.
   */
  private settleWhole(source: string): Node {
    if (fenceStart.test(source)) return this.settle(source);
    this.settledText += source;
    const written = document.createElement('p');
    written.className = 'as-written';
    written.textContent = visibleText(source);
    return written;
  }

  /** Draws the last block, which may turn out to be two blocks. */
  private last(source: string, isGrowing: boolean): Node {
    const isCode = fenceStart.test(source);
    return this.nodes.render(
      this.parseAside(isGrowing && !isCode ? remend(source, halfWritten) : source),
      true,
    );
  }

  private parse(source: string): Token[] {
    return parser.parse(source, { references: this.references });
  }

  /** Removes the definitions of a half-written block. */
  private parseAside(source: string): Token[] {
    return parser.parse(source, { references: Object.create(this.references) as References });
  }
}

const fenceStart = /^\n* {0,3}(`{3,}(?=[^`\n]*(?:\n|$))|~{3,})/;

/**
 * Returns how much of the text to look at: whole lines up to the limit, but a block of code up to its end.
 */
function lengthToParse(text: string): number {
  const fence = fenceStart.exec(text);
  if (fence) {
    const mark = fence[1]!;
    const close = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`, 'gm');
    close.lastIndex = fence[0].length;
    return close.exec(text) ? Math.max(close.lastIndex + 1, 1) : text.length;
  }
  if (text.length <= PARSED_AT_A_TIME) return text.length;
  const line = text.lastIndexOf('\n', PARSED_AT_A_TIME - 1);
  return line < 0 ? PARSED_AT_A_TIME : line + 1;
}

/** Returns where the top-level blocks begin. */
function blockStarts(source: string, tokens: readonly Token[]): readonly number[] {
  const starts: number[] = [];
  let line = 0;
  let offset = 0;
  for (const { level, nesting, map } of tokens) {
    if (level > 0 || nesting < 0 || !map) continue;
    for (; line < map[0]; line++) offset = source.indexOf('\n', offset) + 1;
    starts.push(offset);
  }
  return starts;
}

/**
 * Returns the length of the part that later text cannot change: everything before the last block, if the
 * first line of that block is complete. Before that, the last block is undecided: the `2` after a list may be
 * a paragraph, or the next item.
 */
function settledLength(source: string, starts: readonly number[]): number {
  const last = starts.at(-1) ?? 0;
  return (source.includes('\n', last) ? last : starts.at(-2)) ?? 0;
}
