import type { Card, ColumnId, Columns } from './board.js';

/** A card with its column as a field, so that its title and its column change each by itself. */
interface FlatCard extends Card {
  readonly column: ColumnId;
}

/** The board as the undo of its store reads it: one list of cards, in the order of the columns. */
export interface FlatBoard {
  readonly cards: readonly FlatCard[];
}

/** The board as a list. A card that is the same object is the same in the list, so that only what changed is compared. */
export function flatBoardOf(columns: Columns): FlatBoard {
  let flat = boards.get(columns);
  if (flat === undefined) {
    flat = { cards: columns.flatMap(({ id, cards }) => cards.map((card) => flatCardOf(card, id))) };
    boards.set(columns, flat);
  }
  return flat;
}

const boards = new WeakMap<Columns, FlatBoard>();
const flatCards = new WeakMap<Card, FlatCard>();

function flatCardOf(card: Card, column: ColumnId): FlatCard {
  const known = flatCards.get(card);
  if (known?.column === column) return known;
  const flat = { id: card.id, title: card.title, column };
  flatCards.set(card, flat);
  return flat;
}

/** Puts the cards of a list into their columns, in its order. */
export function columnsOf({ cards }: FlatBoard, columns: Columns): Columns {
  const known = new Map(columns.flatMap((column) => column.cards).map((card) => [card.id, card]));
  return columns.map((column) => ({
    ...column,
    cards: cards
      .filter((card) => card.column === column.id)
      .map(({ id, title }) => {
        const card = known.get(id);
        return card?.title === title ? card : { id, title };
      }),
  }));
}
