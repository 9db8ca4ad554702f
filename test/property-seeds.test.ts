import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';

// Holds every property to the seed of the day: an `fc.assert` without `propertyRun` draws a seed that no run prints.

const root = path.join(import.meta.dirname, '..');

/** `property-run.test.ts` tests `propertyRun` itself, and repeats a case by its seed. */
const files = ['packages', 'apps', 'bench', 'test', 'scripts'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.includes('node_modules') && /\.tsx?$/.test(name))
    .map((name) => path.join(folder, name))
    .filter((name) => name !== path.join('test', 'property-run.test.ts')),
);

/** Calls of `fc.assert` and `fc.check` in a file, each with the text of its settings. */
function propertiesOf(file: string): readonly { readonly place: string; readonly settings: string }[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  if (!/from 'fast-check'/.test(text)) return [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  const found: { place: string; settings: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      /\b(?:fc|fastCheck)\.(?:assert|check)$/.test(node.expression.getText(source))
    ) {
      const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
      found.push({ place: `${file}:${line}`, settings: node.arguments[1]?.getText(source) ?? '' });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('every property has its seed and its number of runs from propertyRun', () => {
  const properties = files.flatMap(propertiesOf);
  expect(properties.length).toBeGreaterThan(30);
  expect(properties.filter(({ settings }) => !settings.startsWith('propertyRun('))).toEqual([]);
});
