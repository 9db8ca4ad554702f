import type { StoreBoard } from '@handrail/testing';

/** Returns a board whose fields are signals. */
export function runesBoard(board: StoreBoard): StoreBoard {
  const state = $state(board);
  return state;
}
