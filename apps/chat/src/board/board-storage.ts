import { effect, isJsonObject } from '@handrail/session';
import type { Columns } from './board.js';
import type { BoardStore } from './board-store.js';
import { firstBoard } from './first-board.js';

const KEY = 'handrail.board';
const VERSION = 1;

/** The board as this tab left it: a restored conversation would be wrong about any other. */
export function restoreBoard(storage: Storage): Columns {
  try {
    const saved: unknown = JSON.parse(storage.getItem(KEY) ?? 'null');
    return isJsonObject(saved) && saved.version === VERSION && isBoard(saved.columns)
      ? saved.columns
      : firstBoard;
  } catch {
    // Storage may be forbidden, or hold somebody else's text. A board without memory is still a board.
    return firstBoard;
  }
}

/** Saves the board with every change; returns the function that ends it. */
export function keepBoard(board: BoardStore, storage: Storage): () => void {
  return effect(() => {
    const columns = board.columns.value;
    try {
      if (columns === firstBoard) storage.removeItem(KEY);
      else storage.setItem(KEY, JSON.stringify({ version: VERSION, columns }));
    } catch {
      // Full or forbidden: the conversation's storage tells the user, once is enough.
    }
  });
}

function isBoard(value: unknown): value is Columns {
  return (
    Array.isArray(value) &&
    value.length === firstBoard.length &&
    firstBoard.every(({ id }, index) => {
      const column: unknown = value[index];
      return (
        isJsonObject(column) && column.id === id && Array.isArray(column.cards) && column.cards.every(isCard)
      );
    })
  );
}

function isCard(value: unknown): boolean {
  return isJsonObject(value) && typeof value.id === 'string' && typeof value.title === 'string';
}
