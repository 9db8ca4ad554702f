import type { Card, CardDetails, ColumnId, Place, PlacedCard } from './board.js';
import { cardsOf, columnTitle } from './board.js';
import type { BoardHistory, HistoryGroup } from './board-history.js';
import type { BoardStore } from './board-store.js';
import { changedParts } from './card-details.js';
import { editDescription } from './change-words.js';
import { firstBoard } from './first-board.js';
import { newCardId } from './new-card-id.js';

/**
 * The edits of the board that a user makes with the pointer, the keyboard or a menu. Every edit can be
 * undone.
 */
export interface BoardEditor {
  /** Returns the id of the new card. */
  add(column: ColumnId, title: string): string;
  rename(cardId: string, title: string): void;
  /** Replaces the details of a card. Absent details are removed. */
  detail(cardId: string, details: CardDetails): void;
  move(cardId: string, to: Place): void;
  /** Moves a card one step up or down, or into the adjacent column. */
  nudge(cardId: string, direction: 'up' | 'down' | 'left' | 'right'): void;
  remove(cardId: string): void;
  /** Resets the board to the board of a first visit, as one edit. */
  startFresh(): void;
  undo(): HistoryGroup | null;
  redo(): HistoryGroup | null;
}

export function createBoardEditor(board: BoardStore, history: BoardHistory): BoardEditor {
  const move = (cardId: string, to: Place): void => {
    const found = board.find(cardId);
    if (!found) return;
    const { card, place } = found;
    if (place.column === to.column && place.index === to.index) return;
    const label =
      place.column === to.column
        ? `Reordered “${card.title}”`
        : `Moved “${card.title}” to ${columnTitle(board.columns.peek(), to.column)}`;
    history.edit(label, { from: found, to: { card, place: to } });
  };

  const edit = (from: PlacedCard, card: Card): void => {
    if (changedParts(from.card, card).length > 0)
      history.edit(editDescription(from.card, card), { from, to: { ...from, card } });
  };

  return {
    add(column, title) {
      const card = { id: newCardId(), title };
      const index = board.columns.peek().find(({ id }) => id === column)?.cards.length ?? 0;
      history.edit(`Added “${title}”`, { from: null, to: { card, place: { column, index } } });
      return card.id;
    },
    rename(cardId, title) {
      const found = board.find(cardId);
      if (found && title !== '') edit(found, { ...found.card, title });
    },
    detail(cardId, details) {
      const found = board.find(cardId);
      if (found) edit(found, { id: cardId, title: found.card.title, ...details });
    },
    move,
    nudge(cardId, direction) {
      const place = board.find(cardId)?.place;
      if (!place) return;
      const columns = board.columns.peek();
      const at = columns.findIndex(({ id }) => id === place.column);
      if (direction === 'up' || direction === 'down') {
        const index = place.index + (direction === 'up' ? -1 : 1);
        if (index >= 0 && index < columns[at]!.cards.length) move(cardId, { ...place, index });
        return;
      }
      const target = columns[at + (direction === 'left' ? -1 : 1)];
      if (target) move(cardId, { column: target.id, index: Math.min(place.index, target.cards.length) });
    },
    remove(cardId) {
      const found = board.find(cardId);
      if (found) history.edit(`Deleted “${found.card.title}”`, { from: found, to: null });
    },
    startFresh() {
      // Cards are removed from the last to the first and added from the first to the last, so that each
      // recorded place is right.
      const removed = cardsOf(board.columns.peek()).toReversed();
      history.edit(
        'Started with a fresh board',
        ...removed.map((from) => ({ from, to: null })),
        ...cardsOf(firstBoard).map((to) => ({ from: null, to })),
      );
    },
    undo: () => history.undoEdit(),
    redo: () => history.redoEdit(),
  };
}
