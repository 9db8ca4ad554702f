import { findCard, type Card, type ColumnId, type Columns, type Place } from './board.js';

/** One step, with everything that its inverse needs: history is kept as steps, never as snapshots. */
export type BoardChange =
  | { readonly type: 'add'; readonly card: Card; readonly at: Place }
  | { readonly type: 'remove'; readonly card: Card; readonly at: Place }
  | { readonly type: 'rename'; readonly cardId: string; readonly from: string; readonly to: string }
  | { readonly type: 'move'; readonly cardId: string; readonly from: Place; readonly to: Place };

export function inverseOf(change: BoardChange): BoardChange {
  switch (change.type) {
    case 'add':
      return { ...change, type: 'remove' };
    case 'remove':
      return { ...change, type: 'add' };
    case 'rename':
    case 'move':
      return { ...change, from: change.to, to: change.from } as BoardChange;
  }
}

/**
 * The board after a change, or null when the change no longer fits, because the same card has been changed since.
 * So an undo leaves a later edit of the same card alone.
 */
export function applyChange(columns: Columns, change: BoardChange): Columns | null {
  const found = findCard(
    columns,
    change.type === 'rename' || change.type === 'move' ? change.cardId : change.card.id,
  );
  switch (change.type) {
    case 'add':
      return found ? null : inserted(columns, change.card, change.at);
    case 'remove':
      if (!found || found.card.title !== change.card.title || found.place.column !== change.at.column)
        return null;
      return without(columns, change.card.id);
    case 'rename':
      if (!found || found.card.title !== change.from) return null;
      return columns.map((column) => ({
        ...column,
        cards: column.cards.map((card) => (card.id === change.cardId ? { ...card, title: change.to } : card)),
      }));
    case 'move':
      if (!found || found.place.column !== change.from.column) return null;
      return inserted(without(columns, change.cardId), found.card, change.to);
  }
}

/** Whether the board is as after the change, as far as the change is about it. */
export function isMade(columns: Columns, change: BoardChange): boolean {
  const found = columns.flatMap(({ cards }) => cards).find(({ id }) => id === cardIdOf(change));
  switch (change.type) {
    case 'add':
      return found !== undefined;
    case 'remove':
      return found === undefined;
    case 'rename':
      return found?.title === change.to;
    case 'move':
      return findCard(columns, change.cardId)?.place.column === change.to.column;
  }
}

/** The columns that a change touches. */
export function touchedColumns(change: BoardChange, columns: Columns): readonly ColumnId[] {
  if (change.type === 'add' || change.type === 'remove') return [change.at.column];
  if (change.type === 'move') return [change.from.column, change.to.column];
  return columns.filter(({ cards }) => cards.some(({ id }) => id === change.cardId)).map(({ id }) => id);
}

export function cardIdOf(change: BoardChange): string {
  return change.type === 'rename' || change.type === 'move' ? change.cardId : change.card.id;
}

function without(columns: Columns, cardId: string): Columns {
  return columns.map((column) =>
    column.cards.some(({ id }) => id === cardId)
      ? { ...column, cards: column.cards.filter(({ id }) => id !== cardId) }
      : column,
  );
}

function inserted(columns: Columns, card: Card, { column: columnId, index }: Place): Columns {
  return columns.map((column) =>
    column.id === columnId ? { ...column, cards: column.cards.toSpliced(index, 0, card) } : column,
  );
}
