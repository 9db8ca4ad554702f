// The frontmatter of skills.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { propertyRun } from '../../../test/kit/property-run.js';
import { readDocument } from '../src/skills/frontmatter.js';

const read = (...lines: readonly string[]) => {
  const { fields } = readDocument(['---', ...lines, '---', ''].join('\n'), 'SKILL.md');
  const plain = (value: unknown) => (value instanceof Map ? Object.fromEntries(value) : value);
  return Object.fromEntries([...fields].map(([name, { value }]) => [name, plain(value)]));
};

const documents: readonly (readonly [string, readonly string[]])[] = [
  ['plain and quoted texts', ['name: notes', `a: "one: \\"two\\" \\u00e4"`, `b: 'it''s'`]],
  ['comments', ['# a comment', 'a: text # a comment', `b: "# no comment" # a comment`, 'c: C#', '']],
  ['plain texts over several lines', ['a: one', '  two', '  three', 'b: four']],
  ['quoted texts over several lines', ['a: "one', '  two"', `b: 'three`, `  four'`]],
  ['a block that keeps its lines', ['a: |', '  one', '    two', '', '  three', 'b: x']],
  ['a block that folds its lines', ['a: >', '  one', '  two', '', '  three', '', '', '  four', 'b: x']],
  ['a folded block with deeper lines', ['a: >-', '  one', '    two', '    three', '  four']],
  ['blocks that strip their end', ['a: |-', '  one', '', 'b: >-', '  two', '']],
  ['a block with a hash', ['a: |-', '  # a heading', '  text']],
  ['a text that begins in the next line', ['a:', '  one two', '  three', 'b: x']],
  ['a block with tabs inside', ['a: |', '  one', '  \ttwo', 'b: x']],
  ['a quoted text with a line separator', ['a: "one\u2028two"', 'b: one\u2028two']],
  ['lists', ['a:', '  - one', '  - "two: three"', 'b:', '- four', 'c: [five, "six, seven", eight]', 'd: []']],
  [
    'one level below a key',
    ['metadata:', '  version: "1.0"', '  author: me', '  note: >-', '    one', '    two'],
  ],
  ['an indented block below a key', ['metadata:', '    a: |-', '      one', '      two', '    b: x']],
];

describe('the frontmatter of a skill', () => {
  it.each(documents)('agents S3: reads %s as a parser of YAML does', (_name, lines) => {
    const expected = parse(lines.join('\n'), { schema: 'failsafe' }) as Record<string, unknown>;
    const trimmed = (value: unknown): unknown =>
      typeof value === 'string'
        ? value.replace(/\n+$/, '')
        : Array.isArray(value)
          ? value.map(trimmed)
          : Object.fromEntries(Object.entries(value as object).map(([key, one]) => [key, trimmed(one)]));
    expect(read(...lines)).toEqual(trimmed(expected));
  });

  it('agents S3: reads a plain text with a colon, which YAML refuses', () => {
    expect(read('description: Use when: the user asks')).toEqual({ description: 'Use when: the user asks' });
  });

  it('agents S3: reads a tab inside of quotes, and a blank line with a tab', () => {
    expect(read('a: "one\ttwo"', '\t', 'b: x')).toEqual({ a: 'one\ttwo', b: 'x' });
  });

  it('agents S3: reads a file with a byte order mark and line ends of Windows', () => {
    const { fields, body } = readDocument('\uFEFF---\r\nname: a\r\n---\r\n\r\nBody\r\nends.\r\n', 'SKILL.md');
    expect(fields.get('name')).toEqual({ value: 'a', line: 2 });
    expect(body).toBe('Body\nends.');
  });

  it.each<readonly [string, string, number, string]>([
    ['no frontmatter', 'name: a', 1, 'has to begin with "---"'],
    ['no end', '---\nname: a\n', 3, 'has to end the frontmatter'],
    ['a line without a colon', '---\nname\n---', 2, 'is not "key: text"'],
    ['a key twice', '---\na: x\na: y\n---', 3, 'twice'],
    ['a key twice below a key', '---\na:\n  b: x\n  b: y\n---', 4, 'twice'],
    ['a second level', '---\na:\n  b:\n    c: x\n---', 4, 'only one level'],
    ['an indented first line', '---\n  a: x\n---', 2, 'is indented'],
    ['a tab', '---\na:\n\tb: x\n---', 3, 'a tab'],
    ['an alias', '---\na: *b\n---', 2, 'needs quotes'],
    ['a map in one line', '---\na: {b: c}\n---', 2, 'needs quotes'],
    ['an open quote', '---\na: "b\nc: d\n---', 2, 'not closed'],
    ['an open single quote', `---\na: 'b\n---`, 2, 'not closed'],
    ['a wrong escape', '---\na: "\\q"\n---', 2, 'an escape'],
    ['an open list', '---\na: [b\n---', 2, 'has to end with "]"'],
  ])('agents S3: refuses %s, and names the line', (_name, text, line, problem) => {
    let message = '';
    try {
      readDocument(text, 'notes/SKILL.md');
    } catch (error) {
      expect(error).toMatchObject({ code: 'invalid-configuration' });
      ({ message } = error as Error);
    }
    expect(message).toContain(`notes/SKILL.md, line ${line}: `);
    expect(message).toContain(problem);
  });

  it('agents S3: reads what is written as quoted texts, for any texts', () => {
    const key = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
    const fields = fc.dictionary(key, fc.string({ unit: 'grapheme' }), { minKeys: 1, noNullPrototype: true });
    fc.assert(
      fc.property(fields, (texts) => {
        const lines = Object.entries(texts).map(([name, text]) => `${name}: ${JSON.stringify(text)}`);
        expect(read(...lines)).toEqual(texts);
      }),
      propertyRun('quoted frontmatter', 500),
    );
  });

  it('agents S3: returns a document or an error with a line, for any text', () => {
    const piece = fc.constantFrom(
      'a',
      'b: ',
      ': ',
      '- ',
      '|',
      '>',
      '"',
      "'",
      '[',
      ']',
      '{',
      '#',
      ' ',
      '  ',
      '\n',
      '---\n',
      '\t',
      '\\',
      '*',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = `---\n${pieces.join('')}\n---\n`;
        try {
          readDocument(text, 'SKILL.md');
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid-configuration' });
          expect((error as Error).message).toMatch(/^SKILL\.md, line \d+: /);
        }
      }),
      propertyRun('any frontmatter', 2_000),
    );
  });
});
