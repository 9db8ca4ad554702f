import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { packageManifests, rootManifest } from '../scripts/release/stage-packages.mjs';
import { product, scope } from '../scripts/product.mjs';
import { root } from '../scripts/run-process.mjs';

/** In two halves: this file does not hold the name. */
const earlierName = new RegExp(['hand', 'rail'].join(''), 'i');

/** The files that may hold the name of the product until version 0.1. */
const mayHold = ['CHANGELOG.md', 'apps/chat/src/chats/earlier-name.ts'];

/** What git tracks, or would track. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => file !== '' && statSync(path.join(root, file), { throwIfNoEntry: false })?.isFile());

test('the name until version 0.1 is in no file, and in the name of none, but in the two that may hold it', () => {
  const holding = files.filter(
    (file) =>
      earlierName.test(file) || earlierName.test(readFileSync(path.join(root, file)).toString('latin1')),
  );
  expect(files.length).toBeGreaterThan(1000);
  expect(holding.sort()).toEqual(mayHold);
});

test('every package has the scope of the product, and the root and the README its name', () => {
  for (const { name } of packageManifests()) expect(name.startsWith(`${scope}/`)).toBe(true);
  expect(rootManifest().name).toBe(product.toLowerCase());
  expect(readFileSync(path.join(root, 'README.md'), 'utf8')).toMatch(new RegExp(`^# ${product}\n`));
});
