import type { RootsOf, StoreAdapter } from './adapter.js';

/** The part of a zustand store that is used: the hook that `create` returns, or what `createStore` returns. */
export interface ZustandStore<T> {
  getState(): T;
  setState(state: T, replace: true): void;
  subscribe(listener: () => void): () => void;
}

/**
 * The adapter of a zustand store, also of a store with middleware such as `immer`, `persist` or `devtools`. The actions in the store are
 * not undone.
 *
 * @example
 * const board = undoable(zustandStore(useBoard));
 */
export function zustandStore<T>(store: ZustandStore<T>): StoreAdapter<RootsOf<T>> {
  return {
    read: () => store.getState(),
    write: (next) => store.setState(next as T, true),
    subscribe: (changed) => store.subscribe(changed),
  };
}
