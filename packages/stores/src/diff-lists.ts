import type { Patch, Place, Segment } from './patch.js';
import { isJson, keyOf, positionsOf } from './values.js';

/** The changes that were found so far. */
export interface Found {
  readonly patches: Patch[];
  readonly opaque: (readonly Segment[])[];
  /** The field that identifies the elements of lists. */
  readonly key: string;
  /** Adds the changes from one value to another, both at the same path. */
  compare(path: readonly Segment[], before: unknown, after: unknown): void;
}

/**
 * Adds the changes from one list to another, element by element. Returns false if the elements have no unique keys: then the whole list
 * is compared as a value.
 */
export function diffLists(
  found: Found,
  path: readonly Segment[],
  before: readonly unknown[],
  after: readonly unknown[],
): boolean {
  const [start, end] = sameEnds(before, after);
  // If the order has not changed, only the keys of changed elements are looked up.
  if (
    before.length === after.length &&
    hasSameKeys(found.key, before, after, start, end) &&
    isKeyed(before, found.key)
  ) {
    keyed.set(after, found.key);
    for (let index = start; index < before.length - end; index++)
      found.compare([...path, keyOf(after[index], found.key)!], before[index], after[index]);
    return true;
  }
  const [old, current] = [positionsOf(before, found.key), positionsOf(after, found.key)];
  if (old === null || current === null) return false;
  for (let index = start; index < before.length - end; index++) {
    const segment = keyOf(before[index], found.key)!;
    const at = current.get(segment);
    if (at !== undefined) found.compare([...path, segment], before[index], after[at]);
  }
  const moved = new Moves(found.key, before, after, old, current);
  const isMoved = (segment: Segment) => moved.segments.has(segment);
  for (let index = before.length - end - 1; index >= start; index--) {
    const segment = keyOf(before[index], found.key)!;
    if (current.has(segment)) continue;
    const element = before[index];
    if (isJson(element))
      found.patches.push({ path: [...path, segment], before: element, from: moved.placeBefore(index) });
    else found.opaque.push([...path, segment]);
  }
  for (let index = start; index < after.length - end; index++) {
    const element = after[index];
    const segment = keyOf(element, found.key)!;
    const at = old.get(segment);
    const to = moved.placeAfter(index);
    if (at === undefined) {
      if (isJson(element)) found.patches.push({ path: [...path, segment], after: element, to });
      else found.opaque.push([...path, segment]);
    } else if (isMoved(segment))
      found.patches.push({ path: [...path, segment], from: moved.placeBefore(at), to });
  }
  return true;
}

/** Lists whose elements have unique keys, with the name of the key field: a cache, so that a list is searched only once. */
const keyed = new WeakMap<readonly unknown[], string>();

function isKeyed(list: readonly unknown[], key: string): boolean {
  return keyed.get(list) === key || positionsOf(list, key) !== null;
}

/** Returns how many elements are identical at the start and at the end of two lists. */
function sameEnds(
  before: readonly unknown[],
  after: readonly unknown[],
): readonly [start: number, end: number] {
  const length = Math.min(before.length, after.length);
  let start = 0;
  while (start < length && before[start] === after[start]) start++;
  let end = 0;
  while (end < length - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  return [start, end];
}

/** Whether two lists of the same length have the same key at each index, except for the first `start` and last `end` elements. */
function hasSameKeys(
  key: string,
  before: readonly unknown[],
  after: readonly unknown[],
  start: number,
  end: number,
): boolean {
  for (let index = start; index < before.length - end; index++) {
    const segment = keyOf(before[index], key);
    if (segment === undefined || segment !== keyOf(after[index], key)) return false;
  }
  return true;
}

/** Finds the moved elements, and the places of elements in both lists. */
class Moves {
  /** The smallest set of elements whose move explains the new order. */
  readonly segments: ReadonlySet<Segment>;

  constructor(
    private readonly key: string,
    private readonly before: readonly unknown[],
    private readonly after: readonly unknown[],
    private readonly old: ReadonlyMap<Segment, number>,
    private readonly current: ReadonlyMap<Segment, number>,
  ) {
    const common = [...current.keys()].filter((segment) => old.has(segment));
    const kept = longestRise(common.map((segment) => old.get(segment)!));
    this.segments = new Set(common.filter((_, index) => !kept.has(index)));
  }

  placeBefore(index: number): Place {
    return this.place(this.before, index, this.current);
  }

  placeAfter(index: number): Place {
    return this.place(this.after, index, this.old);
  }

  private place(list: readonly unknown[], index: number, other: ReadonlyMap<Segment, number>): Place {
    const segmentAt = (at: number) => (at >= 0 && at < list.length ? keyOf(list[at], this.key)! : null);
    const before = segmentAt(index + 1);
    let at = index + 1;
    const stays = (segment: Segment) => other.has(segment) && !this.segments.has(segment);
    while (at < list.length && !stays(segmentAt(at)!)) at++;
    const anchor = segmentAt(at);
    return { at: index, after: segmentAt(index - 1), before, ...(anchor === before ? {} : { anchor }) };
  }
}

/** Returns the indexes of a longest increasing subsequence. All numbers are different. */
function longestRise(numbers: readonly number[]): ReadonlySet<number> {
  /** For each length: the index of the smallest number that ends an increasing subsequence of that length. */
  const ends: number[] = [];
  const previous: number[] = [];
  for (const [index, number] of numbers.entries()) {
    let low = 0;
    for (let high = ends.length; low < high;) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = low > 0 ? ends[low - 1]! : -1;
    ends[low] = index;
  }
  const rise = new Set<number>();
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index]!) rise.add(index);
  return rise;
}
