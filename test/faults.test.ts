import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// Holds docs/faults.md to the tests: every row is there once, and what it calls tested has a test of that name.

const root = fileURLToPath(new URL('..', import.meta.url));
const page = readFileSync(path.join(root, 'docs/faults.md'), 'utf8');

const counts = { W: 21, H: 14, 'S-': 39, T: 20, R: 10, D: 14, P: 18, X: 11 };
/** Rows of a list of which this page has only some. */
const others = ['F1', 'F2', 'F4', 'F7', 'F8', 'F10', 'F11', 'F12', 'F13', 'F14', 'F16', 'F18'];
const ids = Object.entries(counts)
  .flatMap(([kind, count]) => Array.from({ length: count }, (_, index) => `${kind}${index + 1}`))
  .concat(others);

/** The rows of the page: the column "test" for each id. */
const rows = [...page.matchAll(/^\| <a id="([^"]+)"><\/a>(\S+) \|.*\| ([^|]+) \|$/gm)].map(
  ([, anchor, id = '', tests = '']) => ({ anchor, id, tests }),
);

test('every fault is on the page once, in order, under its own anchor', () => {
  expect(rows.map(({ id }) => id)).toEqual(ids);
  for (const { anchor, id } of rows) expect(anchor).toBe(id.toLowerCase());
});

test('every row names its tests, or says why there is none', () => {
  const silent = rows.filter(({ tests }) => !/^`/.test(tests) && !/^(None|To come)/.test(tests));
  expect(silent).toEqual([]);
});

test.each(rows.filter(({ tests }) => tests.startsWith('`')))(
  '$id is in the title of a test of $tests',
  ({ id, tests }) => {
    for (const [, file = ''] of tests.matchAll(/`([^`]+)`/g)) {
      const titles = readFileSync(path.join(root, file), 'utf8')
        .split('\n')
        // A title is a string that begins a line, a call or a row of a table, and begins with ids.
        .filter((line) => new RegExp(`['"\`](?:[A-Z]+-?\\d+ )*${id} `).test(line));
      expect(titles.length, `${file} names ${id} in a title`).toBeGreaterThan(0);
    }
  },
);
