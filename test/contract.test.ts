import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';

// Holds docs/contract.md to the tests: every promise names a test that exists, and every section that a test cites exists.

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(path.join(root, 'docs/contract.md'), 'utf8');

interface Promised {
  readonly line: number;
  /** Name of the test's file. */
  readonly file: string;
  readonly title: string;
}

/** The rows of all tables: a promise, then a file in backticks and a title. */
const rows = page.split('\n').flatMap((text, index) => {
  const cells = text.split(/(?<!\\)\|/).map((cell) => cell.trim());
  const isRow = text.startsWith('| ') && cells[1] !== 'promise' && !/^-+$/.test(cells[1] ?? '');
  return isRow
    ? [{ line: index + 1, tests: cells.slice(2).join('|').replace(/\|$/, '').replaceAll('\\|', '|') }]
    : [];
});

const promises: readonly Promised[] = rows.flatMap(({ line, tests }) => {
  const [, file = '', title = ''] = /^`([^`]+\.(?:test|spec)\.tsx?)` (.+)$/.exec(tests) ?? [];
  return [{ line, file, title }];
});

const testFiles = ['packages', 'apps', 'test', 'scripts', 'bench'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('node_modules') && /\.(test|spec)\.tsx?$/.test(name))
    .map((name) => path.join(root, folder, name)),
);

/** Every string of a file that may be a title, as a pattern: what a placeholder stands for may be anything. */
function titlesIn(file: string): readonly RegExp[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) found.push(...pattern([node.text]));
    if (ts.isTemplateExpression(node)) {
      found.push(...pattern([node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)]));
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `$name`, `%s` and the holes between the parts stand for any text; none where hardly more than holes is there. */
function pattern(parts: readonly string[]): readonly RegExp[] {
  const fixed = parts.flatMap((part) => part.split(/\$[\w.]+|%[sdifjo]/));
  if (fixed.length > 1 && fixed.join('').length < 8) return [];
  const escaped = fixed.map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return [new RegExp(`^${escaped.join('.+')}$`)];
}

test('the page has promises, and every row names a file and a title', () => {
  expect(promises.length).toBeGreaterThan(100);
  expect(promises.filter(({ title }) => title === '')).toEqual([]);
});

test.each([...new Set(promises.map(({ file }) => file))])('%s has the tests that the page names', (file) => {
  const titles = testFiles
    .filter((place) => path.basename(place) === file || place.endsWith(`/${file}`))
    .flatMap(titlesIn);
  const missing = promises.filter(
    (promised) => promised.file === file && !titles.some((title) => title.test(promised.title)),
  );
  expect(missing.map(({ line, title }) => `docs/contract.md:${line}: ${title}`)).toEqual([]);
});

test('every section that a test cites is on the page', () => {
  const sections = new Set([...page.matchAll(/^## (\d+)\./gm)].map(([, number]) => number));
  const cited = testFiles.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(/[Ss]ections? ([\d, and]+) of the contract/g)].flatMap(([, numbers = '']) =>
      numbers
        .split(/\D+/)
        .filter((number) => number !== '')
        .map((number) => ({ file: path.relative(root, file), number })),
    );
  });
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ number }) => !sections.has(number))).toEqual([]);
});
