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
  /** Name of the test's file, with the end of its path where other files have the name too. */
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

/** The functions whose first argument is a title. That of a conformance suite is the name of what its tests are about. */
const groupOrTest = /^(?:it|test|describe|\w+Conformance)$/;

/** Modifiers that may stand between such a function and the title. A test that `fails` proves nothing. */
const modifiers = /^(?:describe|each|for|concurrent|sequential|shuffle|skipIf|runIf|serial|parallel)$/;

/** The tables of a call like `test.skipIf(…).each(table)('title', …)`; undefined where the call has no title. */
function tablesOf(callee: ts.Expression): readonly ts.Expression[] | undefined {
  if (ts.isIdentifier(callee)) return groupOrTest.test(callee.text) ? [] : undefined;
  if (ts.isPropertyAccessExpression(callee)) {
    return modifiers.test(callee.name.text) ? tablesOf(callee.expression) : undefined;
  }
  if (!ts.isCallExpression(callee)) return undefined;
  const tables = tablesOf(callee.expression);
  return tables && [...tables, ...callee.arguments];
}

/** The strings of a table, and of the constants that it names; those inside of functions are none of its cells. */
function cellsOf(table: ts.Node, constants: ReadonlyMap<string, ts.Node>): readonly string[] {
  const cells: string[] = [];
  const seen = new Set<ts.Node>();
  const visit = (node: ts.Node): void => {
    if (seen.has(node) || ts.isFunctionLike(node)) return;
    seen.add(node);
    if (ts.isStringLiteralLike(node)) cells.push(node.text);
    const constant = ts.isIdentifier(node) ? constants.get(node.text) : undefined;
    if (constant) visit(constant);
    ts.forEachChild(node, visit);
  };
  visit(table);
  return cells;
}

/** The titles of the tests of a file, and of its groups of tests, as patterns. Those of what is skipped are left out. */
function titlesIn(file: string): readonly RegExp[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const constants = new Map<string, ts.Node>();
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      constants.set(node.name.text, node.initializer);
    }
    if (ts.isCallExpression(node)) {
      if (/^(?:it|test|describe)\.(?:\w+\.)*(?:skip|todo|fixme)\b/.test(node.expression.getText(source)))
        return;
      const tables = tablesOf(node.expression);
      const title = node.arguments[0];
      if (tables && title) {
        const cells = tables.flatMap((table) => cellsOf(table, constants));
        if (ts.isStringLiteralLike(title)) found.push(pattern([title.text], cells));
        if (ts.isTemplateExpression(title)) {
          const { head, templateSpans } = title;
          found.push(pattern([head.text, ...templateSpans.map(({ literal }) => literal.text)], cells));
        }
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** `$name`, `%s` and the holes between the parts stand for any text; where hardly more than holes is there, for a cell of the table. */
function pattern(parts: readonly string[], cells: readonly string[]): RegExp {
  const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const fixed = parts.flatMap((part) => part.split(/\$[\w.]+|%[sdifjo]/));
  const hole = fixed.join('').length < 8 ? `(?:${cells.map(escaped).join('|')})` : '.+';
  return new RegExp(`^${fixed.map(escaped).join(hole)}$`);
}

test('the page has promises, and every row names a file and a title', () => {
  expect(promises.length).toBeGreaterThan(100);
  expect(promises.filter(({ title }) => title === '')).toEqual([]);
});

test.each([...new Set(promises.map(({ file }) => file))])('%s has the tests that the page names', (file) => {
  const places = testFiles.filter((place) => place.endsWith(`/${file}`));
  expect(places.map((place) => path.relative(root, place))).toHaveLength(1);
  const titles = places.flatMap(titlesIn);
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
