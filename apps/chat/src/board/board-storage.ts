import { effect, isJsonObject, type JsonObject } from '@handrail/session';
import type { Columns } from './board.js';
import type { BoardStore, Publication, SavedBoard } from './board-store.js';
import { firstBoard } from './first-board.js';

const KEY = 'handrail.board';
const VERSION = 1;

/** The board as this tab left it: a restored conversation would be wrong about any other. */
export function restoreBoard(storage: Storage): SavedBoard {
  const first = { columns: firstBoard, publication: null, revision: 0, userChanges: {} };
  try {
    const saved: unknown = JSON.parse(storage.getItem(KEY) ?? 'null');
    if (!isJsonObject(saved) || saved.version !== VERSION || !isBoard(saved.columns)) return first;
    const { columns, publication, revision, userChanges } = saved;
    return {
      columns,
      publication: isPublication(publication) ? publication : null,
      revision: typeof revision === 'number' ? revision : 0,
      userChanges: isCounts(userChanges) ? userChanges : {},
    };
  } catch {
    // Storage may be forbidden, or hold the text of another app. A board without memory is still a board.
    return first;
  }
}

/** Saves the board with every change; returns the function that ends it. */
export function keepBoard(board: BoardStore, storage: Storage): () => void {
  return effect(() => {
    const saved = board.save();
    try {
      if (saved.columns === firstBoard && saved.publication === null) storage.removeItem(KEY);
      else storage.setItem(KEY, JSON.stringify({ version: VERSION, ...saved }));
    } catch {
      // Full or forbidden: the problem is shown once, by the storage of the conversation.
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

function isPublication(value: unknown): value is Publication & JsonObject {
  return isJsonObject(value) && typeof value.at === 'number' && typeof value.audience === 'string';
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isJsonObject(value) && Object.values(value).every((count) => typeof count === 'number');
}
