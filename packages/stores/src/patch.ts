import type { JsonValue } from '@banister/session';

/** One step of a path: the name of a field, or the key of an element of a list. */
export type Segment = string | number;

/** The place of an element in a list, described by its neighbours. */
export interface Place {
  /** 0-based index. Elements that are put into a list together are put in by ascending index. */
  readonly at: number;
  /** The key of the previous element; null for the first element. */
  readonly after: Segment | null;
  /** The key of the next element; null for the last element. */
  readonly before: Segment | null;
  /** The key of the next element that was not moved; absent if that element is `before`. */
  readonly anchor?: Segment | null;
}

/**
 * One change, as JSON. For a field, `before` and `after` are its values; undefined if the field does not exist. For a list element, `from`
 * and `to` are its places: an added element has no `before` and no `from`, a removed element has no `after` and no `to`, and a moved
 * element has both places and no values.
 */
export interface Patch {
  /** The path from the state to the field or the element. */
  readonly path: readonly Segment[];
  readonly before?: JsonValue | undefined;
  readonly after?: JsonValue | undefined;
  readonly from?: Place | undefined;
  readonly to?: Place | undefined;
}

/** The changes from one value to another. */
export interface Difference {
  readonly patches: readonly Patch[];
  /** Paths of changes that JSON cannot hold, such as a change of a date or a map. */
  readonly opaque: readonly (readonly Segment[])[];
}

/** Returns the patch that undoes this patch. */
export function reversed({ path, before, after, from, to }: Patch): Patch {
  return { path, before: after, after: before, from: to, to: from };
}

/** True if the patch adds, removes or moves a list element. */
export function isOfList({ from, to }: Patch): boolean {
  return from !== undefined || to !== undefined;
}

/** The path as text: `cards/42/title`. */
export function pathText(path: readonly Segment[]): string {
  return path.length === 0 ? 'The whole value' : path.join('/');
}
