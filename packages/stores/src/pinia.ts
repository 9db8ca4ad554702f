import { isRef, toRaw } from 'vue';
import type { StoreAdapter } from './adapter.js';
import { sharedCopy } from './shared-copy.js';

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
    read: () => store.$state,
    copy: (roots, earlier) => sharedCopy(roots, earlier, plain),
    write: () => {},
    subscribe: (changed) => store.$subscribe(changed, { detached: true, flush: 'sync' }),
  };
}

/** Past the proxies of Vue, and past references: reading is faster there. */
function plain(value: object): unknown {
  return toRaw(isRef(value) ? value.value : value);
}
