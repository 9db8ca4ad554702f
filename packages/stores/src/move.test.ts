// The patches between two states: found by `diff`, moved by `plan` and `apply`.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';
import { diff } from './diff.js';
import { apply, plan } from './move.js';
import type { Patch } from './patch.js';

interface Row {
  readonly id: string | number;
  readonly n?: number;
  readonly rows?: readonly Row[];
}

const rowsOf = (inner: fc.Arbitrary<readonly Row[]> | null): fc.Arbitrary<readonly Row[]> =>
  fc.uniqueArray(
    fc.record(
      {
        id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 1),
        n: fc.nat(2),
        ...(inner === null ? {} : { rows: inner }),
      },
      { requiredKeys: ['id'] },
    ),
    { selector: ({ id }) => id, maxLength: 6 },
  ) as fc.Arbitrary<readonly Row[]>;
const state = fc.record(
  { rows: rowsOf(rowsOf(null)), tags: fc.array(fc.nat(2), { maxLength: 3 }), note: fc.nat(2) },
  { requiredKeys: ['rows'] },
);

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value))
    for (const part of Object.values(Object.freeze(value))) frozen(part);
  return value;
};
const rows = (...ids: readonly (string | number)[]) => ids.map((id): Row => ({ id }));
const idsOf = (value: unknown) => (value as readonly Row[]).map(({ id }) => id).join('');
const patchesOf = (before: unknown, after: unknown) => diff(before, after, 'id').patches;

/** Moves patches, and returns the state, with the numbers of patches that were kept, and gone. */
function moved(now: unknown, patches: readonly Patch[], direction: 'revert' | 'reapply' = 'revert') {
  const { moves, kept, gone } = plan(now, patches, direction, 'id');
  return { value: apply(now, moves, 'id'), kept: kept.length, gone: gone.length, moves: moves.length };
}

describe('the patches from one state to another', () => {
  it('can be undone and redone without a change of either state, also in place', () => {
    const property = fc.property(state, state, (one, other) => {
      const [before, after] = [frozen(one), frozen(other)];
      const { patches, opaque } = diff(before, after, 'id');
      expect(opaque).toEqual([]);
      // They are stored as JSON.
      const stored = JSON.parse(JSON.stringify(patches)) as readonly Patch[];
      const back = moved(after, stored);
      expect(back).toEqual({ value: before, kept: 0, gone: 0, moves: patches.length });
      const again = moved(back.value, stored, 'reapply');
      expect(again).toEqual({ value: after, kept: 0, gone: 0, moves: patches.length });
      const place = structuredClone(after);
      expect(apply(place, plan(place, stored, 'revert', 'id').moves, 'id', true)).toBe(place);
      expect(place).toEqual(before);
      // A change that is taken back is not taken back twice.
      expect(
        moved(
          back.value,
          stored.filter(({ from, to }) => !from && !to),
        ),
      ).toMatchObject({ kept: 0 });
    });
    fc.assert(property, propertyRun('patches of two states', 2_000));
  });

  it('keep untouched objects', () => {
    const before = frozen({
      rows: [
        { id: 'a', rows: rows('x') },
        { id: 'b', n: 1 },
      ],
      other: { n: 1 },
    });
    const after = frozen({ ...before, rows: [before.rows[0]!, { id: 'b', n: 2 }] });
    const value = moved(after, patchesOf(before, after)).value as typeof before;
    expect(value).toEqual(before);
    expect(value.other).toBe(before.other);
    expect(value.rows[0]).toBe(before.rows[0]);
  });

  it('describe places of elements by their neighbours, and by the next element that stayed', () => {
    const [before, after] = [rows('a', 'b', 'c', 'd'), rows('a', 'd', 'e')];
    expect(patchesOf(before, after)).toEqual([
      { path: ['c'], before: { id: 'c' }, from: { at: 2, after: 'b', before: 'd' } },
      { path: ['b'], before: { id: 'b' }, from: { at: 1, after: 'a', before: 'c', anchor: 'd' } },
      { path: ['e'], after: { id: 'e' }, to: { at: 2, after: 'd', before: null } },
    ]);
  });

  it('move the fewest elements that explain the new order', () => {
    const movedIds = (from: string, to: string) =>
      patchesOf(rows(...from), rows(...to)).map(({ path }) => path.join());
    expect(movedIds('abcde', 'bcdea')).toEqual(['a']);
    expect(movedIds('abcde', 'eabcd')).toEqual(['e']);
    expect(movedIds('abcde', 'acbde')).toHaveLength(1);
    expect(movedIds('abcde', 'abcde')).toEqual([]);
  });

  it.each([[[{ n: 1 }]], [rows('a', 'a')], [['text']], [[null]], [[{ id: true }]]])(
    'treat %j as one value: an element has no key, or the same key as another element',
    (list) => {
      expect(patchesOf({ list }, { list: [] })).toEqual([{ path: ['list'], before: list, after: [] }]);
      expect(patchesOf({ list: [] }, { list })).toEqual([{ path: ['list'], before: [], after: list }]);
    },
  );

  it('leave out methods, and name values that JSON cannot hold', () => {
    const [first, second] = [() => 1, () => 2];
    expect(diff({ act: first }, { act: second, more: first }, 'id')).toMatchObject({
      patches: [],
      opaque: [],
    });
    const date = new Date(0);
    const found = diff(
      { rows: rows('a') },
      {
        rows: [
          { id: 'a', n: date },
          { id: 'b', n: date },
        ],
        n: Infinity,
      },
      'id',
    );
    expect([found.patches, found.opaque]).toEqual([[], [['rows', 'a', 'n'], ['rows', 'b'], ['n']]]);
    expect(diff({ rows: [{ id: 'a', n: date }] }, { rows: [] }, 'id').opaque).toEqual([['rows', 'a']]);
  });
});

describe('a patch whose state has changed afterwards', () => {
  const add = (before: readonly Row[], after: readonly Row[]) => patchesOf(before, after);

  it.each([
    ['behind the element that was before it', 'abcd', 'ac', 'xac', 'xabcd'],
    ['before the next one, where that before it is gone', 'abc', 'ac', 'xc', 'xbc'],
    ['at the front, where it was the first', 'abc', 'bc', 'xbc', 'axbc'],
    ['at the end, where it was the last and its neighbour is gone', 'abc', 'ab', 'axy', 'axyc'],
    ['before the next one that stayed, where both neighbours are gone', 'abcd', 'ad', 'xyd', 'xybcd'],
    ['at its position, where all of them are gone', 'abcd', 'acd', 'xyz', 'xbyz'],
    ['at the end, where its position is behind it', 'abcd', 'abd', 'x', 'xc'],
  ])('puts an element back %s', (_, before, after, now, result) => {
    const patches = add(rows(...before), rows(...after)).filter(({ from, to }) => from && !to);
    expect(idsOf(moved(rows(...now), patches).value)).toBe(result);
  });

  it('keeps an existing element with other content, and an edited element', () => {
    const patches = add(rows('a', 'b'), rows('a'));
    expect(moved([{ id: 'a' }, { id: 'b', n: 1 }], patches)).toMatchObject({ kept: 1, moves: 0 });
    const added = add(rows('a'), rows('a', 'b'));
    expect(moved([{ id: 'b', n: 1 }], added)).toMatchObject({ kept: 1, moves: 0 });
    expect(moved(rows('a'), added)).toMatchObject({ kept: 0, gone: 1, moves: 0 });
  });

  it('undoes a move if one neighbour is the same, and keeps it if both differ', () => {
    const patches = add(rows('a', 'b', 'c', 'd'), rows('b', 'c', 'a', 'd'));
    expect(patches).toHaveLength(1);
    expect(idsOf(moved(rows('b', 'c', 'a', 'x', 'd'), patches).value)).toBe('abcxd');
    expect(idsOf(moved(rows('b', 'c', 'x', 'a', 'd'), patches).value)).toBe('abcxd');
    expect(moved(rows('b', 'a', 'c', 'd', 'x', 'y'), patches)).toMatchObject({ kept: 1 });
    expect(moved(rows('a', 'b', 'c', 'd'), patches)).toMatchObject({ kept: 0, moves: 0 });
    expect(moved(rows('b', 'c', 'd'), patches)).toMatchObject({ gone: 1 });
  });

  it('has the reason in words', () => {
    const reasons = (now: unknown, patches: readonly Patch[], direction: 'revert' | 'reapply' = 'revert') =>
      plan(now, patches, direction, 'id').kept.map(({ reason }) => reason);
    const edit = patchesOf({ rows: [{ id: 'a', n: 1 }] }, { rows: [{ id: 'a', n: 2 }] });
    expect(reasons({ rows: [{ id: 'a', n: 3 }] }, edit)).toEqual([
      'rows/a/n was changed since, and stays as it is.',
    ]);
    expect(reasons({ rows: [] }, edit, 'reapply')).toEqual(['rows/a/n is no longer there.']);
    expect(reasons({ rows: 'text' }, edit)).toEqual([]);
    expect(reasons({ rows: [1] }, edit)).toEqual(['rows/a/n was changed since, and stays as it is.']);
    const move = patchesOf({ rows: rows('a', 'b', 'c') }, { rows: rows('b', 'c', 'a') });
    expect(reasons({ rows: rows('a', 'b', 'c') }, move)).toEqual([]);
    expect(reasons({ rows: rows('b', 'x', 'a', 'y', 'c') }, move)).toEqual([
      'rows/a was moved since, and stays as it is.',
    ]);
    expect(reasons({ rows: 'text' }, move)).toEqual(['rows/a was moved since, and stays as it is.']);
    expect(reasons('mine', patchesOf('before', 'after'))).toEqual([
      'The whole value was changed since, and stays as it is.',
    ]);
  });

  it.each([[[]], [5], ['']])('does not mistake an empty object for %j, which the user put there', (mine) => {
    const added = patchesOf({ note: 'a' }, { note: {} });
    expect(moved({ note: mine }, added)).toEqual({ value: { note: mine }, kept: 1, gone: 0, moves: 0 });
    const changed = patchesOf({ note: 'a' }, { note: mine });
    expect(moved({ note: {} }, changed)).toEqual({ value: { note: {} }, kept: 1, gone: 0, moves: 0 });
  });
});
