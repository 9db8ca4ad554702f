import { failed, type Recovered, type RevertByData, type Tool } from '@banister/session';
import { columnTitle } from './board.js';
import { applyChange, cardIdOf, inverseOf, type BoardChange } from './board-change.js';
import type { BoardStore } from './board-store.js';
import { changeInWords } from './change-words.js';

/**
 * What the board knows about a call that was running when an earlier page ended. The board stores each change
 * with the key of its call in the same write, so a call without a change did not run. The undo inverts the
 * changes themselves, because the store did not record how they were made.
 */
export function recoveredBoard(board: BoardStore): {
  readonly recover: NonNullable<Tool['recover']>;
  readonly undo: RevertByData<BoardChange>;
} {
  return {
    recover: (_args, { idempotencyKey }) => {
      board.refresh();
      const changes = board.madeBy(idempotencyKey);
      return changes.length === 0 ? 'not-run' : ranWith(changes, board);
    },
    undo: {
      keepsEdits: true,
      revert: (change) => moved(board, inverseOf(change), 'back'),
      reapply: (change) => moved(board, change, 'again'),
    },
  };
}

function ranWith(changes: readonly BoardChange[], board: BoardStore): Recovered {
  const columns = board.columns.peek();
  const cards = changes.map(({ from, to }) => {
    const { card, place } = (to ?? from)!;
    return { id: card.id, title: card.title, column: columnTitle(columns, place.column) };
  });
  return {
    ran: cards.length === 1 ? cards[0] : cards,
    undo: changes.map((change) => ({ ...changeInWords(change, columns), data: change })),
  };
}

/** Makes a change unless it is already in effect. A card that the user changed later stays unchanged. */
function moved(board: BoardStore, change: BoardChange, kind: 'back' | 'again') {
  board.refresh();
  const { from, to } = change;
  const now = board.find(cardIdOf(change));
  const isSame = now?.card.title === to?.card.title && now?.place.column === to?.place.column;
  if (isSame) return undefined;
  const after = applyChange(board.columns.peek(), change);
  if (after === null) return failed(`“${(from ?? to)!.card.title}” was changed since.`);
  board.replace(after, kind);
  return undefined;
}
