import { isRef, toRaw } from 'vue';
import type { StoreAdapter } from './adapter.js';

/** The part of a store of Pinia that is used. */
export interface PiniaStore {
  readonly $state: object;
  $subscribe(
    changed: () => void,
    options?: { readonly detached?: boolean; readonly flush?: 'sync' },
  ): () => void;
}

/**
 * The adapter of a store of Pinia, whose objects are changed in place: `undoable` needs `roots`.
 *
 * @example
 * const board = undoable(piniaStore(useBoard()), { roots: ['cards'] });
 */
export function piniaStore(store: PiniaStore): StoreAdapter {
  return {
    isMutable: true,
    read: () => store.$state,
    plain: (value) => toRaw(isRef(value) ? value.value : value),
    write: () => {},
    subscribe: (changed) => store.$subscribe(changed, { detached: true, flush: 'sync' }),
  };
}
