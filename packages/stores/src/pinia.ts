import { isRef, toRaw } from 'vue';
import type { RootsOf, StoreAdapter } from './adapter.js';
import { ComparedCopies } from './compared-copies.js';
import type { Plain } from './values.js';

/** The part of a Pinia store that is used. */
export interface PiniaStore<T extends object = object> {
  readonly $state: T;
  $subscribe(
    changed: () => void,
    options?: { readonly detached?: boolean; readonly flush?: 'sync' },
  ): () => void;
}

/**
 * The adapter of a Pinia store. Its objects are changed in place, so `undoable` needs `roots`.
 *
 * @example
 * const board = undoable(piniaStore(useBoard()), { roots: ['cards'] });
 */
export function piniaStore<T extends object>(store: PiniaStore<T>): StoreAdapter<RootsOf<T>> {
  const copies = new ComparedCopies(unwrap);
  return {
    read: () => store.$state,
    copy: (root) => copies.of((store.$state as Plain)[root]),
    write: () => {},
    subscribe: (changed) => store.$subscribe(changed, { detached: true, flush: 'sync' }),
  };
}

/** Returns the value behind Vue's proxies and refs, because reading it directly is faster. */
function unwrap(value: unknown): unknown {
  return toRaw(isRef(value) ? value.value : value);
}
