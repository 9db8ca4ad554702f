import type { RootsOf, StoreAdapter } from './adapter.js';

/**
 * The adapter of a value that Immer, Mutative or a reducer replaces at each change: a field of a class, the state of a hook, a ref.
 *
 * @param get returns the value
 * @param set replaces the value
 * @param subscribe calls `changed` after each change; without it, changes of the user are noticed when the next tool runs
 * @example
 * let board: Board = { cards: [] };
 * const undoableBoard = undoable(immerValue(() => board, (next: Board) => void (board = next)));
 * const add = undoableBoard.wrap(
 *   defineTool({
 *     name: 'add',
 *     description: 'Adds a card.',
 *     parameters: { type: 'object', properties: {} },
 *     execute: () => void (board = produce(board, ({ cards }) => void cards.push({ id: 'a' }))),
 *   }),
 * );
 */
export function immerValue<T>(
  get: () => T,
  set: (next: T) => void,
  subscribe?: (changed: () => void) => () => void,
): StoreAdapter<RootsOf<T>> {
  return { read: get, write: (next) => set(next as T), ...(subscribe ? { subscribe } : {}) };
}
