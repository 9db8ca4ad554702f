import { describe, test } from 'vitest';

// Read by `contract.test.ts`, and never run: the kinds of titles that docs/contract.md knows.

const values = [1, 2].map((value) => value);

describe.each(['a worker', 'a page'])('a group in %s', () => {
  test('a test', () => {});
  test.skip('a test that is skipped', () => {});
  test.each(['a title of a table', 'another title of a table'])('%s', () => {});
  test.each(values)('a value of %i is read', () => {});
});

describe('a group of nothing', () => {
  test.todo('a test that is not there');
});
