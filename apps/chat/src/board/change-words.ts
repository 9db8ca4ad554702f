import type { ShownChanges } from '@banister/stores';
import { columnTitle, type Card, type Columns, type PlacedCard } from './board.js';
import { cardIdOf, type BoardChange } from './board-change.js';
import { changedParts, editInWords } from './card-details.js';
import type { CardState } from './card-state.js';

/**
 * Returns a change for receipts and reviews, with the path of the board that it touches. A move and each
 * detail have separate paths.
 */
export function changeInWords(
  change: BoardChange,
  columns: Columns,
): ShownChanges & { readonly description: string } {
  const { from, to } = change;
  const path = `cards/${cardIdOf(change)}`;
  const values = { before: stateOf(from, columns), after: stateOf(to, columns) };
  const title = (from ?? to)?.card.title ?? '';
  const column = to ? columnTitle(columns, to.place.column) : '';
  if (from === null) return { description: `Added “${title}” to ${column}`, paths: [path], ...values };
  if (to === null) return { description: `Deleted “${title}”`, paths: [path], ...values };
  return from.place.column === to.place.column
    ? {
        description: editDescription(from.card, to.card),
        paths: changedParts(from.card, to.card).map((part) => `${path}/${part}`),
        ...values,
      }
    : { description: `Moved “${title}” to ${column}`, paths: [`${path}/column`], ...values };
}

/**
 * Returns an edit of a card in words: `Renamed “Plan” to “The plan”`, or `Edited “Plan”: Ana, Due Fri 5 Jun`.
 */
export function editDescription(from: Card, to: Card): string {
  const parts = changedParts(from, to);
  return parts.length === 1 && parts[0] === 'title'
    ? `Renamed “${from.title}” to “${to.title}”`
    : `Edited “${from.title}”: ${editInWords(from, to)?.after ?? 'nothing'}`;
}

/** Returns a card for a review; undefined if it is not on the board. */
function stateOf(placed: PlacedCard | null, columns: Columns): CardState | undefined {
  if (placed === null) return undefined;
  const { card, place } = placed;
  const column = columnTitle(columns, place.column);
  return { ...card, column, index: place.index };
}
