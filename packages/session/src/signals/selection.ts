import { computed, type ReadonlySignal } from './signals-core.js';

/** An earlier result of a selection; null if there is none. It is wrapped in an object, because `undefined` may be a result. */
export type PreviousResult<T> = { readonly value: T } | null;

/**
 * Returns the result of `select` as a signal. A result that is equal to the previous result keeps its identity.
 *
 * @param source the argument of `select`, for example a session
 * @param select reads signals, which are tracked; must be pure
 * @param isEqual returns true if two results are equal; then the earlier result is kept. Default `Object.is`
 * @param previous returns an earlier result for the first computation, for example the result of the previous selection. Default: none
 * @example
 * const names = selectionOf(session, (of) => of.activeToolCalls.value.map(({ tool }) => tool), sameItems);
 */
export function selectionOf<Source, T>(
  source: Source,
  select: (source: Source) => T,
  isEqual: (a: T, b: T) => boolean = Object.is,
  previous: () => PreviousResult<T> = () => null,
): ReadonlySignal<T> {
  let last: PreviousResult<T> = null;
  return computed(() => {
    const value = select(source);
    const before = last ?? previous();
    last = before !== null && isEqual(before.value, value) ? before : { value };
    return last.value;
  });
}
