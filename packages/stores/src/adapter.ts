import type { Patch } from './patch.js';

/**
 * Connects `undoable` to a store. This package has an adapter for each common kind of store; for another kind, write these functions.
 * `Root` is the type of the field names that `roots` accepts.
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
   * Returns the state. If the store replaces objects instead of changing them, `read` returns the same object until something changes,
   * then a new object in which only the changed parts are new objects.
   */
  read(): unknown;
  /**
   * Writes a state into the store.
   *
   * @param moves the changes from the current state to `next`
   * @param key the field that identifies the elements of lists
   */
  write(next: unknown, moves: readonly Patch[], key: string): void;
  /** Calls `changed` after each change of the store, immediately or later. Returns a function that unsubscribes. */
  subscribe?(changed: () => void): () => void;
  /**
   * For a store whose objects are changed in place: returns a copy of a watched field. The fields are copied before and after each change
   * of a tool, and `write` gets the state that `read` returned, already changed. For an unchanged object the copy may be the same object
   * as before: the comparison does not look into it.
   *
   * @param root the name of the field
   * @example
   * copy: (root) => structuredClone(app.state[root]),
   */
  copy?(root: Root): unknown;
}

/** The field names of a state; for a union, the names that every member has. Any string if the type of the state has no field names. */
export type RootsOf<State> = [FieldsOf<State>] extends [never] ? string : FieldsOf<State>;

type FieldsOf<State> = State extends unknown ? keyof State & string : never;
