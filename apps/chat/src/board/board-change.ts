import { cardsOf, type Card, type ColumnId, type Columns, type PlacedCard } from './board.js';
import { cardParts, changedParts, detailsIn, type CardPart } from './card-details.js';

/**
 * One step: a card, and its places before and after the step. A place is null if the card is not on the
 * board.
 */
export interface BoardChange {
  readonly from: PlacedCard | null;
  readonly to: PlacedCard | null;
}

/**
 * Returns the inverse step, for the user's own history. The store records how to undo the agent's changes.
 */
export function inverseOf({ from, to }: BoardChange): BoardChange {
  return { from: to, to: from };
}

/**
 * Returns the board after a change; null if the change no longer fits because the same card was changed
 * later. So an undo does not touch a later edit of the same card.
 */
export function applyChange(columns: Columns, change: BoardChange): Columns | null {
  const { from, to } = change;
  const id = cardIdOf(change);
  const found = cardsOf(columns).find(({ card }) => card.id === id);
  if ((found === undefined) !== (from === null)) return null;
  if (found && from) {
    const parts = to === null ? cardParts : changedParts(from.card, to.card);
    const isMoved = to === null || !isSamePlace(from, to);
    if (parts.some((part) => found.card[part] !== from.card[part])) return null;
    if (isMoved && found.place.column !== from.place.column) return null;
    if (to === null) return without(columns, id);
    const card = parts.length > 0 ? withParts(found.card, to.card, parts) : found.card;
    return isMoved ? inserted(without(columns, id), { ...to, card }) : replaced(columns, card);
  }
  return to === null ? null : inserted(columns, to);
}

/** Returns the columns that a change touches. */
export function touchedColumns({ from, to }: BoardChange): readonly ColumnId[] {
  return [from, to].flatMap((at) => (at ? [at.place.column] : []));
}

export function cardIdOf({ from, to }: BoardChange): string {
  return (from ?? to)?.card.id ?? '';
}

/**
 * Returns the steps from one board to another, card by card: first the removed cards, from the last to the
 * first. A different order within a column is not a step.
 */
export function changesBetween(before: Columns, after: Columns): readonly BoardChange[] {
  const [old, current] = [byId(before), byId(after)];
  const gone = [...old.values()].filter(({ card }) => !current.has(card.id));
  return [
    ...gone.toReversed().map((from) => ({ from, to: null })),
    ...[...current.values()]
      .map((to) => ({ from: old.get(to.card.id) ?? null, to }))
      .filter(
        ({ from, to }) =>
          !from || changedParts(from.card, to.card).length > 0 || from.place.column !== to.place.column,
      ),
  ];
}

/** Returns a card with some parts of another card. A part that the other card lacks is removed. */
function withParts(card: Card, other: Card, parts: readonly CardPart[]): Card {
  const taken: Record<string, unknown> = { ...card };
  for (const part of parts) taken[part] = other[part];
  return { id: card.id, title: String(taken['title']), ...detailsIn(taken) };
}

function byId(columns: Columns): ReadonlyMap<string, PlacedCard> {
  return new Map(cardsOf(columns).map((placed) => [placed.card.id, placed]));
}

function isSamePlace(from: PlacedCard, to: PlacedCard): boolean {
  return from.place.column === to.place.column && from.place.index === to.place.index;
}

function without(columns: Columns, cardId: string): Columns {
  return columns.map((column) =>
    column.cards.some(({ id }) => id === cardId)
      ? { ...column, cards: column.cards.filter(({ id }) => id !== cardId) }
      : column,
  );
}

function replaced(columns: Columns, card: Card): Columns {
  return columns.map((column) =>
    column.cards.some(({ id }) => id === card.id)
      ? { ...column, cards: column.cards.map((other) => (other.id === card.id ? card : other)) }
      : column,
  );
}

function inserted(columns: Columns, { card, place }: PlacedCard): Columns {
  return columns.map((column) =>
    column.id === place.column ? { ...column, cards: column.cards.toSpliced(place.index, 0, card) } : column,
  );
}
