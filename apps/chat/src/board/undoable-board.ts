import { failed, type RevertByData, type Tool, type ToolContext } from '@banister/session';
import { undoable } from '@banister/stores';
import { immerValue } from '@banister/stores/immer';
import type { BoardChange } from './board-change.js';
import type { BoardStore } from './board-store.js';
import { changeInWords } from './change-words.js';
import { columnsOf, flatBoardOf } from './flat-board.js';
import { recoveredBoard } from './recovered-board.js';

/**
 * The board with an undo that tools do not have to write. The changes of a call are recorded as data, and
 * their undo keeps the user's edits.
 */
export interface UndoableBoard {
  wrap<T extends Tool>(tool: T): T;
  /** Makes a change in a call of a wrapped tool. Returns false if the change no longer fits the board. */
  make(context: Pick<ToolContext, 'change' | 'idempotencyKey'>, change: BoardChange): boolean;
}

export function undoableBoard(board: BoardStore): UndoableBoard {
  /** Whether the store is undoing or redoing a change. */
  let direction: 'back' | 'again' = 'back';
  const store = undoable(
    immerValue(
      () => {
        // The changes of other tabs must be read before the call changes anything, so that they do not count
        // as its changes.
        board.refresh();
        return flatBoardOf(board.columns.peek());
      },
      (next) => board.replace(columnsOf(next, board.columns.peek()), direction),
    ),
    {
      // The store knows the paths of a change; the board describes it in words.
      describe: () => (current === null ? {} : changeInWords(current, board.columns.peek())),
      // If the user edits while a tool works, the tool has made no mistake, and the console needs no warning.
      development: false,
    },
  );
  /** The change that is being made. */
  let current: BoardChange | null = null;

  /** Wraps the undo of the store, so that its reasons contain titles of cards instead of paths. */
  const undoOf = (undo: RevertByData): RevertByData => ({
    keepsEdits: undo.keepsEdits,
    revert: (data, context) => {
      direction = 'back';
      return inWords(undo.revert(data, context), board);
    },
    reapply: (data, context) => {
      direction = 'again';
      return inWords(undo.reapply?.(data, context), board);
    },
  });

  return {
    wrap: (tool) => {
      const { undo, recover } = recoveredBoard(board);
      const wrapped = store.wrap({ ...tool, undo, recover });
      return { ...wrapped, undo: undoOf(wrapped.undo!) };
    },
    make(context, change) {
      current = change;
      try {
        return context.change(() => board.apply(change, 'agent', context.idempotencyKey));
      } finally {
        current = null;
      }
    },
  };
}

async function inWords(outcome: ReturnType<RevertByData['revert']>, board: BoardStore) {
  const result = await outcome;
  if (result?.outcome !== 'failed') return result;
  const nameOf = (id: string) => board.find(id)?.card.title ?? 'a card that is gone';
  const words = result.message.replace(/cards\/([\w-]+)(?:\/\w+)?/g, (_, id: string) => `“${nameOf(id)}”`);
  return failed(words);
}
