import { isJson, isPlain, MAX_LEVELS } from './values.js';
import type { Segment } from './patch.js';

/** Field names that lead out of the data of an object. */
const unsafe: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether a path consists only of safe field names and keys. */
export function isSafePath(path: readonly unknown[]): path is readonly Segment[] {
  return path.length <= MAX_LEVELS + 1 && path.every((one) => isSegment(one) && !unsafe.has(one));
}

/**
 * Whether a value has the form of a patch in one of the roots. The data of an effect may come from a log or a saved conversation that
 * others have written.
 *
 * @param roots the fields that a patch may change. Default: all
 */
export function isPatch(value: unknown, roots: readonly string[] | undefined): boolean {
  if (!isPlain(value)) return false;
  const { path, before, after, from, to } = value;
  if (!Array.isArray(path) || !isSafePath(path)) return false;
  if (roots && !roots.includes(String(path[0]))) return false;
  const isPlaced = from !== undefined || to !== undefined;
  return (
    isAbsentOr(isJson, before) &&
    isAbsentOr(isJson, after) &&
    isAbsentOr(isPlace, from) &&
    isAbsentOr(isPlace, to) &&
    (!isPlaced || path.length > 0)
  );
}

function isPlace(value: unknown): boolean {
  if (!isPlain(value)) return false;
  const { at, after, before, anchor } = value;
  const isNeighbour = (one: unknown) => one === null || isSegment(one);
  return Number.isInteger(at) && isNeighbour(after) && isNeighbour(before) && isAbsentOr(isNeighbour, anchor);
}

function isAbsentOr(is: (value: unknown) => boolean, value: unknown): boolean {
  return value === undefined || is(value);
}

function isSegment(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}
