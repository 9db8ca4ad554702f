import type { Token } from 'markdown-it';
import { safeTarget, type SafeTarget } from './safe-target.js';
import { visibleText } from './visible-text.js';

/** The elements that Markdown makes without further code. Any other token stays text. */
const elements: Readonly<Record<string, keyof HTMLElementTagNameMap>> = {
  paragraph_open: 'p',
  blockquote_open: 'blockquote',
  bullet_list_open: 'ul',
  ordered_list_open: 'ol',
  list_item_open: 'li',
  thead_open: 'thead',
  tbody_open: 'tbody',
  tr_open: 'tr',
  th_open: 'th',
  td_open: 'td',
  strong_open: 'strong',
  em_open: 'em',
  s_open: 's',
};

export interface MarkdownNodesOptions {
  /**
   * Origins from which images may be loaded, such as `https://images.example`. Other images become links.
   * Default: none.
   */
  readonly imageOrigins?: readonly string[];
}

/**
 * Makes nodes from tokens, one element at a time. No text of a model is ever parsed as HTML, so nothing has
 * to be sanitised, and it works with Trusted Types.
 */
export class MarkdownNodes {
  /**
   * The depths of the headings above, so that an answer that begins with `###` leaves no gap in the page's
   * outline.
   */
  private depths: readonly number[] = [];

  constructor(private readonly options: MarkdownNodesOptions = {}) {}

  /** @param provisional whether the tokens are of a block that may still change its kind */
  render(tokens: readonly Token[], provisional = false): DocumentFragment {
    const { depths } = this;
    const root = document.createDocumentFragment();
    new Builder(root, (depth) => this.levelOf(depth), this.options.imageOrigins ?? []).add(tokens);
    if (provisional) this.depths = depths;
    return root;
  }

  /**
   * Returns the heading level: from 3, below the heading of the chat, and never more than one below the
   * heading above.
   */
  private levelOf(depth: number): number {
    this.depths = [...this.depths.filter((above) => above < depth), depth];
    return Math.min(6, 2 + this.depths.length);
  }
}

class Builder {
  private readonly open: Node[];
  /** The targets of the open links. */
  private readonly targets: (SafeTarget | string)[] = [];

  constructor(
    root: Node,
    private readonly levelOf: (depth: number) => number,
    private readonly imageOrigins: readonly string[],
  ) {
    this.open = [root];
  }

  add(tokens: readonly Token[]): void {
    for (const token of tokens) this.addOne(token);
  }

  private addOne(token: Token): void {
    // In a tight list, the paragraph of an item has no element.
    if (token.hidden) return;
    switch (token.type) {
      case 'inline':
        return this.add(this.takeTaskBox(token.children ?? []));
      case 'softbreak':
      case 'hardbreak':
        return this.append(make('br'));
      case 'hr':
        return this.append(make('hr'));
      case 'code_inline':
        return this.append(make('code', '', visibleText(token.content)));
      case 'code_block':
      case 'fence':
        return this.append(codeBlock(token));
      case 'heading_open':
        return this.enter(make(`h${this.levelOf(Number(token.tag.slice(1)))}` as 'h3'));
      case 'table_open':
        return this.enterTable();
      case 'table_close':
        this.leave();
        this.leave();
        return;
      case 'link_open':
        return this.enterLink(String(token.attrGet('href') ?? ''));
      case 'link_close':
        return this.leaveLink();
      case 'image':
        return this.addImage(token);
    }
    const element = elements[token.type];
    if (element) this.enter(withAttributes(make(element), token));
    else if (token.nesting < 0) this.leave();
    else if (token.nesting > 0) this.enter(make('span'));
    else this.append(document.createTextNode(visibleText(token.content)));
  }

  /** Reads the `[x]` at the beginning of a list item and draws it as a disabled checkbox. */
  private takeTaskBox(tokens: readonly Token[]): readonly Token[] {
    const place = this.open.at(-1)!;
    const item = place instanceof HTMLParagraphElement ? place.parentNode : place;
    const [first, ...others] = tokens;
    const mark = first?.type === 'text' ? /^\[([ xX])\]\s+/.exec(first.content) : null;
    const isFirst = item instanceof HTMLLIElement && item.textContent === '';
    if (!mark || !isFirst) return tokens;
    item.className = 'task';
    const box = make('span', 'task-box');
    const isDone = mark[1] !== ' ';
    box.role = 'img';
    box.ariaLabel = isDone ? 'Done' : 'To do';
    box.dataset['done'] = String(isDone);
    this.append(box);
    this.append(document.createTextNode(visibleText(mark.input.slice(mark[0].length))));
    return others;
  }

  private append(node: Node): void {
    this.open.at(-1)!.appendChild(node);
  }

  private enter(node: Node): void {
    this.append(node);
    this.open.push(node);
  }

  private leave(): Node {
    return this.open.pop()!;
  }

  /** A wide table scrolls separately, also with the keyboard. */
  private enterTable(): void {
    const scroller = make('div', 'table-scroll');
    scroller.tabIndex = 0;
    scroller.role = 'group';
    scroller.ariaLabel = 'Table';
    this.enter(scroller);
    this.enter(make('table'));
  }

  private enterLink(address: string): void {
    const target = safeTarget(address);
    this.targets.push(target ?? address);
    this.enter(target ? link(target) : make('span', 'link-refused'));
  }

  private leaveLink(): void {
    const words = this.leave().textContent ?? '';
    const target = this.targets.pop()!;
    this.addPlace(target, words);
  }

  /** Shows where a link leads, unless its text is the target itself. */
  private addPlace(target: SafeTarget | string, words: string): void {
    const [place, whole] = typeof target === 'string' ? [target, target] : [target.place, target.href];
    const told = [whole, whole.replace(/\/$/, ''), whole.replace(/^mailto:/, '')];
    if (!told.includes(words)) this.append(make('span', 'link-target', ` (${visibleText(place)})`));
  }

  /**
   * Shows an image as a link, unless its origin is allowed, because loading an image is a request, and its
   * address can carry secrets.
   */
  private addImage(token: Token): void {
    const address = String(token.attrGet('src') ?? '');
    const target = safeTarget(address);
    const words = visibleText(token.content);
    if (target && this.imageOrigins.includes(target.origin)) {
      const image = make('img');
      image.referrerPolicy = 'no-referrer';
      image.loading = 'lazy';
      image.alt = words;
      image.src = target.href;
      return this.append(image);
    }
    const label = words === '' ? 'Image' : `Image: ${words}`;
    // A link inside a link is not allowed.
    const isInLink = this.targets.length > 0;
    const shown = target && !isInLink ? link(target) : make('span', 'link-refused');
    shown.textContent = label;
    this.append(shown);
    this.addPlace(target ?? address, label);
  }
}

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  className = '',
  text = '',
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (className !== '') element.className = className;
  if (text !== '') element.textContent = text;
  return element;
}

function link({ href }: SafeTarget): HTMLAnchorElement {
  const anchor = make('a');
  anchor.href = href;
  anchor.title = visibleText(href);
  anchor.target = '_blank';
  anchor.rel = 'noopener noreferrer nofollow';
  return anchor;
}

/** Copies the only two attributes of a token that are used here. */
function withAttributes<E extends HTMLElement>(element: E, token: Token): E {
  const start = Number(token.attrGet('start') ?? 1);
  if (element instanceof HTMLOListElement && start !== 1) element.start = start;
  const align = /^text-align:(left|center|right)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
  if (align !== undefined) element.dataset['align'] = align;
  return element;
}

function codeBlock(token: Token): HTMLElement {
  const block = make('div', 'code-block');
  const bar = make('div', 'code-bar');
  const language = token.info.trim().split(/\s/)[0]?.slice(0, 20) ?? '';
  const copy = make('button', 'button button-quiet', 'Copy');
  copy.type = 'button';
  copy.ariaLabel = 'Copy code';
  copy.dataset['copy'] = '';
  bar.append(make('span', 'code-language', visibleText(language)), copy);
  const code = make('pre', 'code');
  code.tabIndex = 0;
  code.append(make('code', '', visibleText(token.content)));
  block.append(bar, code);
  return block;
}
