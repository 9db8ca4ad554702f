import { computed, type ReadonlySignal } from './signals-core.js';

/** A result that is kept; in an object, so that `undefined` can be one. */
export type Kept<T> = { readonly value: T } | null;

/**
 * What `select` makes of a source of signals, as a signal. A result that is equal to the one before keeps its identity.
 *
 * @param select reads signals, which are tracked; must be pure
 * @param isEqual default `Object.is`
 * @param known a result from before, asked for at the first computation: what another selection last showed
 * @example
 * const names = selectionOf(session, (of) => of.activeToolCalls.value.map(({ tool }) => tool), sameItems);
 */
export function selectionOf<Source, T>(
  source: Source,
  select: (source: Source) => T,
  isEqual: (a: T, b: T) => boolean = Object.is,
  known: () => Kept<T> = () => null,
): ReadonlySignal<T> {
  let last: Kept<T> = null;
  return computed(() => {
    const value = select(source);
    const before = last ?? known();
    last = before !== null && isEqual(before.value, value) ? before : { value };
    return last.value;
  });
}
