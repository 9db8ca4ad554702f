import { failed, type RevertByData, type Tool, type ToolContext } from '@banister/session';
import { undoable } from '@banister/stores';
import { immerValue } from '@banister/stores/immer';
import type { BoardChange } from './board-change.js';
import type { BoardStore } from './board-store.js';
import { changeInWords } from './change-words.js';
import { columnsOf, flatBoardOf } from './flat-board.js';
import { recoveredBoard } from './recovered-board.js';

/** The board, with an undo that no tool has to write: what a call changes is recorded as data, and taken back beside the user's edits. */
export interface UndoableBoard {
  wrap<T extends Tool>(tool: T): T;
  /** Makes a change in a call of a wrapped tool; false where it does not fit the board any more. */
  make(context: Pick<ToolContext, 'change' | 'idempotencyKey'>, change: BoardChange): boolean;
}

export function undoableBoard(board: BoardStore): UndoableBoard {
  /** Whether the store takes a change back now, or makes it again. */
  let direction: 'back' | 'again' = 'back';
  const store = undoable(
    immerValue(
      () => {
        // Changes of other tabs are there before those of a call: they are none of its own.
        board.refresh();
        return flatBoardOf(board.columns.peek());
      },
      (next) => board.replace(columnsOf(next, board.columns.peek()), direction),
    ),
    {
      // The store knows the paths of a change; its words are the board's.
      describe: () => (current === null ? {} : changeInWords(current, board.columns.peek())),
      // An edit of the user while a tool works is no mistake of the tool, and needs no warning in the console.
      development: false,
    },
  );
  /** The change that is made now. */
  let current: BoardChange | null = null;

  /** The undo of the store, whose reasons have the titles of cards in the place of their paths. */
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
