import type { StoreAdapter } from './adapter.js';
import { sharedCopy } from './shared-copy.js';

/**
 * The adapter of an object that `$state` of Svelte 5 made, whose fields are changed in place: `undoable` needs `roots`.
 *
 * @param state the object, not a field of it that is assigned anew
 * @example
 * const board = $state({ cards: [] });
 * const undoableBoard = undoable(runesState(board), { roots: ['cards'] });
 */
export function runesState(state: object): StoreAdapter {
  return {
    read: () => state,
    write: () => {},
    copy: (roots, earlier) => sharedCopy(roots, earlier, (value) => value),
  };
}
