import type { Patch } from './patch.js';

/**
 * The way to a store. The entries of this package make one for each kind of store; another kind needs the same functions. `Root` are the names
 * of the fields that `roots` may name.
 *
 * @example
 * const adapter: StoreAdapter = {
 *   read: () => app.state,
 *   write: (next) => app.replace(next as AppState),
 *   subscribe: (changed) => app.onChange(changed),
 * };
 */
export interface StoreAdapter<Root extends string = string> {
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
   * For a store whose objects are changed in place: returns a copy of a watched field. The fields are copied before and after each change of a
   * tool, and the state that `write` gets is the one that `read` returned, with the changes in it. An object that is as it was may have the same
   * copy as before: a comparison does not look into it.
   *
   * @param root the name of the field
   * @example
   * copy: (root) => structuredClone(app.state[root]),
   */
  copy?(root: Root): unknown;
}

/** The names of the fields of a state, each that a member of a union has. Any text, where the type of the state has none. */
export type RootsOf<State> = [FieldsOf<State>] extends [never] ? string : FieldsOf<State>;

type FieldsOf<State> = State extends unknown ? keyof State & string : never;
