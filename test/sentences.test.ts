import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

// A message of an error, or of an app, may be a sentence. `sentence` ends it; a full stop in the source would be the second one.

const root = path.resolve(import.meta.dirname, '..');

/** A value in a text, directly before a full stop that ends a sentence. */
const stopped = /\$\{((?:[^{}`]|\{[^{}]*\})*)\}\.(?=`| [A-Z]|\\n|\$\{)/g;
/** Values with words of others, as the sources name them. */
const foreign =
  /messageOf\(|\.message\b|String\((?:error|thrown|cause|reason)\)|\b(?:cause|failed|failure|message|policy|reason|said|thrown)\)*$/;

/** Returns the foreign values after which a source text puts a full stop. */
function ended(source: string): string[] {
  return [...source.matchAll(stopped)].map(([, value]) => value!).filter((value) => foreign.test(value));
}

test('audit-S10 no source puts a full stop behind the words of others', () => {
  const folders = [
    'apps/chat',
    ...readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`),
  ];
  const sources = folders.flatMap((folder) =>
    readdirSync(path.join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?<!\.test)\.(?:tsx?|svelte|vue)$/.test(file))
      .map((file) => path.join(folder, 'src', file)),
  );
  expect(sources.length).toBeGreaterThan(500);
  const found = sources.flatMap((file) =>
    ended(readFileSync(path.join(root, file), 'utf8')).map((value) => `${file}: ${value}`),
  );
  expect(found).toEqual([]);
});

test.each([
  'throw new Error(`It failed: ${messageOf(error)}.`);',
  'const words = `It is damaged: ${problem.message}. Nothing was read.`;',
  'warn(`${tool}: ${String(error)}.`);',
  'return `No summary: ${visibleText(failure)}.`;',
  'return `Policy: ${policy}.${hint}`;',
])('audit-S10 such a full stop is found: %s', (source) => {
  expect(ended(source)).toHaveLength(1);
});

test.each([
  '`Reads ${count}.`',
  '`It said "${said}".`',
  '`${reason}.json`',
  'sentence(`It failed: ${reason}`)',
])('audit-S10 no other one is: %s', (source) => {
  expect(ended(source)).toEqual([]);
});
