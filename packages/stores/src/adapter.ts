import type { Patch } from './patch.js';

/**
 * The way to a store. The entries of this package make one for each kind of store; another kind needs the same functions.
 *
 * @example
 * const adapter: StoreAdapter = {
 *   read: () => app.state,
 *   write: (next) => app.replace(next as AppState),
 *   subscribe: (changed) => app.onChange(changed),
 * };
 */
export interface StoreAdapter {
  /**
   * Returns the state. A store that replaces what changes returns the same object as long as nothing has changed, and a new one afterwards,
   * in which only what changed is another object.
   */
  read(): unknown;
  /**
   * Puts a state into the store.
   *
   * @param moves the changes that lead to it from the state as it is now
   * @param key the field by which the elements of lists are known
   */
  write(next: unknown, moves: readonly Patch[], key: string): void;
  /** Calls back after each change of the store, at once or later. Returns the function that ends it. */
  subscribe?(changed: () => void): () => void;
  /**
   * True for a store whose objects are changed in place. Its roots are read as a whole before and after each change of a tool, which costs as
   * much as they are large, and the state that `write` gets is the one that `read` returned, with the changes in it. Default false.
   */
  readonly isMutable?: boolean | undefined;
  /**
   * Returns an object of the state without the proxy around it, and the value of a reference: copies read that, which is faster. Default: the
   * object itself.
   */
  plain?(value: object): unknown;
}
