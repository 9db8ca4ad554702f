import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { describe, expect, test, vi } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { GrowingMarkdown, PARSED_AT_A_TIME } from './growing-markdown.js';
import type { MarkdownNodesOptions } from './markdown-nodes.js';

/** Draws a complete text at once. */
function drawn(text: string, options?: MarkdownNodesOptions): HTMLElement {
  const root = document.createElement('div');
  drawAll(new GrowingMarkdown(root, options), text, false);
  return root;
}

function drawAll(markdown: GrowingMarkdown, text: string, isGrowing: boolean): void {
  for (let pieces = 0; !markdown.draw(text, isGrowing); pieces++) {
    if (pieces > text.length) throw new Error('The Markdown was never drawn to its end.');
  }
}

/** Calls `look` at every prefix of a streamed text. */
function stream(text: string, look: (root: HTMLElement, prefix: string) => void = () => {}): HTMLElement {
  const root = document.createElement('div');
  const markdown = new GrowingMarkdown(root);
  for (let length = 1; length <= text.length; length++) {
    drawAll(markdown, text.slice(0, length), true);
    look(root, text.slice(0, length));
  }
  drawAll(markdown, text, false);
  return root;
}

const sample = `# Title

A paragraph with **bold**, *italic*, ~~gone~~, \`code\` and a [link](https://docs.example/a).
Its second line.

1. one

2. two
   - nested
     more

> quoted
lazily

| a | b |
|:--|--:|
| 1 | 2 |

\`\`\`ts
const a = '<b>';

const b = 1;
\`\`\`

Setext
------

See [here][1] or https://plain.example.

***

[1]: https://later.example "Title"
`;

describe('drawn Markdown', () => {
  test('has paragraphs, emphasis, lists, quotes, rules and tables', () => {
    const root = drawn(sample);
    const count = (selector: string) => root.querySelectorAll(selector).length;
    expect(
      ['p', 'strong', 'em', 's', 'ol > li', 'ol ul > li', 'blockquote', 'hr', 'th', 'td'].map(count),
    ).toEqual([5, 1, 1, 1, 2, 1, 1, 1, 2, 2]);
    expect(root.querySelector('td:last-child')!.getAttribute('data-align')).toBe('right');
    expect(root.querySelector('.table-scroll')!.getAttribute('tabindex')).toBe('0');
  });

  test('a code block keeps every character, shows its language and has a button that copies it', () => {
    const root = drawn(sample);
    expect(root.querySelector('pre code')!.textContent).toBe("const a = '<b>';\n\nconst b = 1;\n");
    expect(root.querySelector('.code-language')!.textContent).toBe('ts');
    expect(root.querySelector('button[data-copy]')!.getAttribute('aria-label')).toBe('Copy code');
  });

  test('a task has a checkbox that shows whether it is done, and cannot be pressed', () => {
    const root = drawn(
      '- [x] one\n- [ ] two\n\n1. [X] three\n\n   [x] four\n2. five [x]\n3. [x]six\n\n[x] seven',
    );
    const boxes = [...root.querySelectorAll('.task-box')];
    expect(boxes.map((box) => [box.ariaLabel, box.parentElement!.textContent])).toEqual([
      ['Done', 'one'],
      ['To do', 'two'],
      ['Done', 'three'],
    ]);
    expect(boxes.map((box) => box.role)).toEqual(['img', 'img', 'img']);
    expect(root.querySelectorAll('li.task')).toHaveLength(3);
    expect(root.textContent).toContain('[x] four');
    expect(root.textContent).toContain('five [x]');
    expect(root.textContent).toContain('[x]six');
    expect(root.textContent).toContain('[x] seven');
    expect(root.querySelector('input, button')).toBeNull();
  });

  test('headings leave no gap in the outline, no matter with which level an answer begins', () => {
    const levels = (text: string) =>
      [...drawn(text).querySelectorAll('h1, h2, h3, h4, h5, h6')].map((heading) => heading.tagName);
    expect(levels('### a\n\n# b\n\n### c\n\n## d\n')).toEqual(['H3', 'H3', 'H4', 'H4']);
    expect(levels('# a\n## b\n### c\n#### d\n##### e\n')).toEqual(['H3', 'H4', 'H5', 'H6', 'H6']);
  });
});

describe('while it streams', () => {
  test.each([
    ['the sample', sample],
    ['with line ends of Windows', sample.replaceAll('\n', '\r\n')],
    ['a list that is taken up again', '1. a\n\n2. b\n\ntext\n\n- c\n\n-\n\n- d\n'],
    ['code in a list, and a fence in a fence', '- a\n\n  ```\n  x\n  ```\n\n````\n```\n````\nb\n'],
    ['tasks', '- [x] one\n- [ ] two\n\n- [x]\n- [ ]\n- [x] **three**\n'],
    ['a table after its head', 'a | b\n--|--\n1 | 2\nafter\n\nend'],
  ])('text drawn piece by piece ends like text drawn at once: %s', (_, text) => {
    expect(stream(text).innerHTML).toBe(drawn(text).innerHTML);
  });

  test('any random text of Markdown lines ends like text drawn at once', () => {
    const line = fc.constantFrom(
      '- a', '  - b', '1. c', '2', '> d', '# e', '---', '```', '~~~', '    f', '| g | h |', '|---|---|',
      'i **j', 'k**', '- [x] q', '- [ ]', '[l]: https://m.example', '[l]', '', '', '', '\t', '*', '===', '[n](o', '`p',
    ); // prettier-ignore
    fc.assert(
      fc.property(fc.array(line, { maxLength: 14 }), (lines) => {
        const text = lines.join('\n');
        expect(stream(text).innerHTML).toBe(drawn(text).innerHTML);
      }),
      propertyRun('growing Markdown', 60),
    );
  });

  test('half-written Markdown is shown in the form that it will probably have', () => {
    const growing = (text: string) => {
      const root = document.createElement('div');
      drawAll(new GrowingMarkdown(root), text, true);
      return root.innerHTML;
    };
    expect(growing('a **bo')).toBe('<p>a <strong>bo</strong></p>');
    expect(growing('a *it')).toBe('<p>a <em>it</em></p>');
    expect(growing('a `co')).toBe('<p>a <code>co</code></p>');
    expect(growing('a [link](https://doc')).toBe('<p>a link</p>');
    expect(growing('```js\nlet a')).toContain('<code>let a</code>');
    expect(growing('| a | b |\n|---|---|\n| 1')).toContain('<td>1</td>');
  });

  test('a half-written mark at the end of the text is shown literally', () => {
    expect(stream('a **bo').innerHTML).toBe('<p>a **bo</p>');
  });

  test('complete blocks keep their nodes, and are not parsed again', () => {
    const parse = vi.spyOn(MarkdownIt.prototype, 'parse');
    const text = 'A paragraph of a few words.\n\n'.repeat(200);
    const root = document.createElement('div');
    const markdown = new GrowingMarkdown(root);
    markdown.draw(text.slice(0, 60), true);
    const first = root.firstChild;
    for (let length = 60; length <= text.length; length += 4) markdown.draw(text.slice(0, length), true);
    expect(root.firstChild).toBe(first);
    expect(root.childNodes.length).toBe(200);
    const longest = Math.max(...parse.mock.calls.map(([source]) => source.length));
    expect(longest).toBeLessThan(100);
    parse.mockRestore();
  });

  test('a growing block keeps unchanged nodes, so that a selection stays', () => {
    const root = document.createElement('div');
    const markdown = new GrowingMarkdown(root);
    markdown.draw('One **two** three', true);
    const [words, strong] = root.firstChild!.childNodes;
    markdown.draw('One **two** three four', true);
    expect([...root.firstChild!.childNodes].slice(0, 2)).toEqual([words, strong]);
    expect(root.firstChild!.childNodes[0]).toBe(words);
    expect(root.textContent).toBe('One two three four');
  });

  test('a different text replaces the previous text', () => {
    const root = document.createElement('div');
    const markdown = new GrowingMarkdown(root);
    drawAll(markdown, 'One\n\ntwo\n\nthree', true);
    drawAll(markdown, '# Other', true);
    expect(root.innerHTML).toBe('<h3>Other</h3>');
  });
});

describe('R8 nothing in a text takes long', () => {
  const many = 100_000;
  test.each([
    '[',
    '*',
    '>',
    '![',
    '_a ',
    'x`',
    '- ',
    '<',
    '|',
    '&',
    '[a](',
    '#',
    'a~~',
    '[x]: y\n',
    '1. ',
    'a\n> ',
  ])(
    '10⁵ characters of %j are parsed in pieces, without loss',
    (piece) => {
      const parse = vi.spyOn(MarkdownIt.prototype, 'parse');
      const text = piece.repeat(many / piece.length);
      const root = document.createElement('div');
      drawAll(new GrowingMarkdown(root), text, true);
      const lengths = parse.mock.calls.map(([source]) => source.length);
      parse.mockRestore();
      expect(Math.max(...lengths)).toBeLessThanOrEqual(PARSED_AT_A_TIME + 10);
      // Each piece is read at most twice: once to find its end, once to parse it.
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeLessThan(3 * many);
      expect(depthOf(root)).toBeLessThan(60);
    },
    30_000,
  );

  test('a block that is too long is shown unformatted, to its last character', () => {
    const text = 'word '.repeat(5_000).trimEnd();
    expect(drawn(text).textContent.replaceAll('\n', '')).toBe(text);
  });

  test('but code may be longer', () => {
    const code = 'let a = 1;\n'.repeat(3_000);
    expect(stream('').innerHTML).toBe('');
    const root = drawn(`Before\n\n\`\`\`\n${code}\`\`\`\n\nAfter`);
    expect(root.querySelector('pre code')!.textContent).toBe(code);
    expect(root.lastChild!.textContent).toBe('After');
  });
});

function depthOf(element: Element): number {
  let deepest = 0;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    let depth = 0;
    for (let parent: Node | null = node; parent !== element; parent = parent!.parentNode) depth++;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
