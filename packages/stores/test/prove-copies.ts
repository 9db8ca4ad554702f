import fc from 'fast-check';
import { expect } from 'vitest';
import { propertyRun } from '../../../test/kit/property-run.js';

type Fields = Record<string, unknown>;

/** A random change of an object or a list in a state. */
interface Change {
  readonly kind: number;
  readonly place: number;
  readonly at: number;
  readonly value: unknown;
}

const names = fc.constantFrom('a', 'b', 'c');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<unknown>(0, -0, Number.NaN, 1, 'a', true, null, undefined),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }).map(fieldsOf),
  ),
}));
const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({ kind: fc.nat(7), place: fc.nat(30), at: fc.nat(4), value }),
  { maxLength: 12 },
);

/** A state whose objects are changed in place, and the function that copies its field. */
export interface CopiedState {
  readonly state: { root: unknown };
  copy(): unknown;
}

/**
 * Changes a state in place at random and compares its copies: each copy stays as the state was when the copy
 * was made, and an unchanged object keeps the same copy.
 *
 * @param make returns a state of the kind of the store with this value
 */
export function proveCopies(name: string, make: (root: unknown) => CopiedState, runs: number): void {
  const property = fc.property(value, changes, (root, list) => {
    const { state, copy } = make(plainOf(root));
    const copies = [undefined, ...list].map((change) => {
      if (change) apply(state, change);
      const made = copy();
      expect(copy()).toBe(made);
      return { made, expected: plainOf(state.root) };
    });
    for (const { made, expected } of copies) expect(made).toStrictEqual(expected);
  });
  fc.assert(property, propertyRun(`copies of ${name}`, runs));
}

function apply(state: { root: unknown }, { kind, place, at, value: seed }: Change): void {
  const places = objectsIn(state.root);
  const target = places[place % Math.max(places.length, 1)];
  const next = plainOf(seed);
  if (target === undefined) state.root = next;
  else if (Array.isArray(target)) changeList(target as unknown[], kind, at, next);
  else changeFields(target as Fields, kind, at, next);
}

function changeList(list: unknown[], kind: number, at: number, next: unknown): void {
  if (kind === 0) list.unshift(next);
  else if (kind === 1) list.push(next);
  else if (kind === 2) list.splice(at, 1);
  else if (kind === 3) list.reverse();
  else if (kind === 4) list.length = Math.min(at, list.length);
  else if (kind === 5 && list.length > 0) list.push(list[at % list.length]);
  else list[Math.min(at, list.length)] = next;
}

function changeFields(fields: Fields, kind: number, at: number, next: unknown): void {
  const name = Object.keys(fields)[at] ?? 'd';
  if (kind === 0) delete fields[name];
  else if (kind === 1) {
    const moved = fields[name];
    delete fields[name];
    fields['e'] = moved;
  } else if (kind === 2) fields['e'] = fields[name];
  else fields[name] = next;
}

/** Returns the objects and lists in a value, each once. */
function objectsIn(value: unknown, found: object[] = []): readonly object[] {
  if (typeof value !== 'object' || value === null || found.includes(value)) return found;
  found.push(value);
  for (const one of Object.values(value)) objectsIn(one, found);
  return found;
}

/** Returns a deep copy. */
function plainOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainOf);
  if (typeof value !== 'object' || value === null) return value;
  return fieldsOf(Object.entries(value).map(([name, one]) => [name, plainOf(one)] as const));
}

function fieldsOf(entries: Iterable<readonly [string, unknown]>): Fields {
  return Object.fromEntries(entries);
}
