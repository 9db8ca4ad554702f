import type { RootsOf, StoreAdapter } from './adapter.js';

/** A writable store of Svelte, or an object with the same functions. */
export interface SvelteStore<T> {
  subscribe(run: (value: T) => void): () => void;
  set(value: T): void;
}

/**
 * The adapter of a writable store of Svelte. Tools replace what they change: `cards.update((list) => [...list, card])`. If a tool changes
 * an object in place, as `list.push(card)` does, the change cannot be undone. Components may change objects in place.
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
    // `subscribe` calls `changed` immediately; that call finds no change.
    subscribe: (changed) => store.subscribe(changed),
  };
}
