import type { JsonValue } from '@banister/session';

/** One step of a path: the name of a field, or the key of an element of a list. */
export type Segment = string | number;

/** The place of an element in a list, by its neighbours. */
export interface Place {
  /** 0-based position. Elements that are put into a list together are put there in this order. */
  readonly at: number;
  /** The key of the element before it; null for the first. */
  readonly after: Segment | null;
  /** The key of the element behind it; null for the last. */
  readonly before: Segment | null;
  /** The key of the next element behind it that stayed in its place; absent where that is `before`. */
  readonly anchor?: Segment | null;
}

/**
 * One change, as JSON: of a field, whose value `before` or `after` is absent, or undefined, where the field is not there, or of an element of a list, which
 * has a place. An element that was added has no `before` and no `from`, one that was removed no `after` and no `to`, one that was moved
 * two places and no values.
 */
export interface Patch {
  /** From the state to the field, or to the element. */
  readonly path: readonly Segment[];
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  readonly from?: Place | undefined;
  readonly to?: Place | undefined;
}

/** The changes from one value to another. */
export interface Difference {
  readonly patches: readonly Patch[];
  /** Changes that JSON cannot hold, such as that of a date or of a map. */
  readonly opaque: readonly (readonly Segment[])[];
}

/** Returns the patch in the other direction. */
export function reversed({ path, before, after, from, to }: Patch): Patch {
  return { path, before: after, after: before, from: to, to: from };
}

/** True for a change of a list: an element is added, removed or moved. */
export function isOfList({ from, to }: Patch): boolean {
  return from !== undefined || to !== undefined;
}

/** The path in words: `cards/42/title`. */
export function pathText(path: readonly Segment[]): string {
  return path.length === 0 ? 'The whole value' : path.join('/');
}
