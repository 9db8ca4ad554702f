import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRun } from '../../../../test/kit/property-run.js';
import { overlaps } from './effect-place.js';

const board = (...paths: readonly string[]) => ({ domain: 'board', paths });

describe('overlaps', () => {
  it.each([
    ['cards/42', 'cards/42', true],
    ['cards/42', 'cards/42/title', true],
    ['cards/42', 'cards/421', false],
    ['cards/42/title', 'cards/42/column', false],
    ['cards', 'columns', false],
    ['/cards/42/', 'cards//42', true],
    ['', 'cards/42', true],
  ])('of the paths %s and %s is %s', (one, other, expected) => {
    expect(overlaps(board(one), board(other))).toBe(expected);
    expect(overlaps(board(other), board(one))).toBe(expected);
  });

  it('an effect without paths overlaps every effect of its domain, and no effect of another domain', () => {
    const whole = { domain: 'board' };
    expect(overlaps(whole, board('cards/42'))).toBe(true);
    expect(overlaps(board('cards/42'), whole)).toBe(true);
    expect(overlaps(board(), board('cards/42'))).toBe(true);
    expect(overlaps(whole, { domain: 'mail' })).toBe(false);
    expect(overlaps(board('cards/42'), { domain: 'mail', paths: ['cards/42'] })).toBe(false);
  });

  it('two effects overlap if a path of one equals or contains a path of the other; an effect without paths covers its whole domain', () => {
    const segments = fc.array(fc.constantFrom('a', 'b', 'ab', ''), { maxLength: 3 });
    const lists = fc.array(segments, { minLength: 1, maxLength: 12 });
    const named = (list: readonly string[]) => list.filter((name) => name !== '');
    const begins = (one: readonly string[], other: readonly string[]) =>
      one.every((name, index) => other[index] === name);
    fc.assert(
      fc.property(lists, lists, (first, second) => {
        const expected = first
          .map(named)
          .some((one) => second.map(named).some((other) => begins(one, other) || begins(other, one)));
        const joined = (all: readonly (readonly string[])[]) => board(...all.map((one) => one.join('/')));
        expect(overlaps(joined(first), joined(second))).toBe(expected);
      }),
      propertyRun('overlaps', 2_000),
    );
  });
});
