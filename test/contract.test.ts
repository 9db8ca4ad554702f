import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { contract, contractPage, promisesOf, testFiles } from '../scripts/contract.mjs';
import { sections } from '../scripts/contract-sections.mjs';
import { root } from '../scripts/run-process.mjs';

const listed = sections.flatMap(({ files }) => files);

test('docs/contract.md has the titles of the tests: node scripts/contract.mjs writes it', () => {
  expect(readFileSync(contractPage, 'utf8')).toBe(contract());
});

test('each file of tests in a package is in one section, and each file of a section has tests', () => {
  const missing = testFiles().filter(
    (file) => /^packages\/[^/]+\/test\//.test(file) && !listed.includes(file),
  );
  expect(missing, 'name a section of each in scripts/contract-sections.mjs').toEqual([]);
  expect(listed.filter((file, index) => listed.indexOf(file) !== index)).toEqual([]);
  expect(
    listed.filter((file) => !existsSync(path.join(root, file)) || promisesOf(file).length === 0),
  ).toEqual([]);
});

test('the page has the facts of each conformance suite', () => {
  const page = contract();
  for (const suite of [
    'log/writer-facts.ts',
    'store/store-facts.ts',
    'session/turn-facts.ts',
    'binding/drawing-facts.ts',
  ])
    expect(page).toContain(`### \`packages/testing/src/${suite}\`\n\n- `);
});

test('the page has groups, each case of a table that holds titles, and no test that is skipped', () => {
  const promises = promisesOf('test/kit/contract-example.ts');
  expect(promises).toEqual([
    {
      title: 'a group in a worker / a page',
      tests: [
        { title: 'a test', tests: [] },
        { title: 'a title of a table', tests: [] },
        { title: 'another title of a table', tests: [] },
        { title: 'a value of … is read', tests: [] },
      ],
    },
  ]);
});
