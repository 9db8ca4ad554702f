import type { RootsOf, StoreAdapter } from './adapter.js';

/** A writable store of Svelte, or one with the same functions. */
export interface SvelteStore<T> {
  subscribe(run: (value: T) => void): () => void;
  set(value: T): void;
}

/**
 * The adapter of a writable store of Svelte. Tools replace what they change: `cards.update((list) => [...list, card])`. Objects that a tool
 * changes in place, such as `list.push(card)`, cannot be taken back; components may change them in place.
 *
 * @example
 * const board = undoable(svelteStore(writable({ cards: [] })));
 */
export function svelteStore<T>(store: SvelteStore<T>): StoreAdapter<RootsOf<T>> {
  return {
    read: () => {
      let value: T | undefined;
      store.subscribe((now) => (value = now))();
      return value;
    },
    write: (next) => store.set(next as T),
    // Its first call tells of no change, and is taken as one that found none.
    subscribe: (changed) => store.subscribe(changed),
  };
}
