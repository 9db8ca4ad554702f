import type { Card, ColumnId, Columns } from './board.js';
import { changedParts } from './card-details.js';

/** A card with its column as a field, so that the column and each detail change independently. */
interface FlatCard extends Card {
  readonly column: ColumnId;
}

/** The place of a card in its column. */
interface Entry {
  readonly id: string;
}

/**
 * The board in the form that the undo of its store reads. The cards are sorted by id, and a card's column is
 * a field of the card. The order within columns is stored separately, and an undo ignores the user's changes
 * of it. So if the user reorders a card that the agent has moved to a column, an undo of the agent still
 * moves the card back.
 */
export interface FlatBoard {
  readonly cards: readonly FlatCard[];
  /** The order of cards, by the id of the column. */
  readonly order: Readonly<Record<string, readonly Entry[]>>;
}

/**
 * Returns the board as a list. An unchanged card is the same object in the list, so that only changed cards
 * are compared.
 */
export function flatBoardOf(columns: Columns): FlatBoard {
  let flat = boards.get(columns);
  if (flat === undefined) {
    const cards = columns.flatMap((column) => column.cards.map((card) => flatCardOf(card, column.id)));
    const order = Object.fromEntries(columns.map((column) => [column.id, column.cards.map(entryOf)]));
    flat = { cards: cards.toSorted(byId), order };
    boards.set(columns, flat);
  }
  return flat;
}

const boards = new WeakMap<Columns, FlatBoard>();
const flatCards = new WeakMap<Card, FlatCard>();
const entries = new WeakMap<Card, Entry>();

function byId(a: Entry, b: Entry): number {
  return a.id < b.id ? -1 : 1;
}

function flatCardOf(card: Card, column: ColumnId): FlatCard {
  const known = flatCards.get(card);
  if (known?.column === column) return known;
  const flat = { ...card, column };
  flatCards.set(card, flat);
  return flat;
}

function entryOf(card: Card): Entry {
  const entry = entries.get(card) ?? { id: card.id };
  entries.set(card, entry);
  return entry;
}

/** Puts the cards into their columns in order. A card without a place in the order comes last. */
export function columnsOf({ cards, order }: FlatBoard, columns: Columns): Columns {
  const known = new Map(columns.flatMap((column) => column.cards).map((card) => [card.id, card]));
  return columns.map((column) => {
    const places = new Map(order[column.id]?.map(({ id }, index) => [id, index]));
    const placeOf = ({ id }: Entry): number => places.get(id) ?? places.size;
    return {
      ...column,
      cards: cards
        .filter((card) => card.column === column.id)
        .toSorted((a, b) => placeOf(a) - placeOf(b))
        .map(({ column: _, ...flat }) => {
          const card = known.get(flat.id);
          return card && changedParts(card, flat).length === 0 ? card : flat;
        }),
    };
  });
}
