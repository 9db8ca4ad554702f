import type { ShownChanges } from '@banister/stores';
import { columnTitle, type Columns, type PlacedCard } from './board.js';
import { cardIdOf, type BoardChange } from './board-change.js';
import type { CardState } from './card-state.js';

/** A change as receipts and reviews show it, with the part of the board that it touches: a move and a new title are two parts. */
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
    ? { description: `Renamed “${title}” to “${to.card.title}”`, paths: [`${path}/title`], ...values }
    : { description: `Moved “${title}” to ${column}`, paths: [`${path}/column`], ...values };
}

/** Returns a card as a review shows it; undefined where there is none. */
function stateOf(placed: PlacedCard | null, columns: Columns): CardState | undefined {
  if (placed === null) return undefined;
  const { card, place } = placed;
  const column = columnTitle(columns, place.column);
  return { id: card.id, title: card.title, column, index: place.index };
}
