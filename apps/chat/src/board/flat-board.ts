import type { Card, ColumnId, Columns } from './board.js';
import { changedParts } from './card-details.js';

/** A card with its column as a field, so that its column and each of its details change by itself. */
interface FlatCard extends Card {
  readonly column: ColumnId;
}

/** The place of a card in its column. */
interface Entry {
  readonly id: string;
}

/**
 * The board as the undo of its store reads it. The cards are sorted by id, and each column has an order of its own: the column of a card says
 * where it stands, and its place there is none of the changes that an undo keeps for the user. A card that the user reorders stays one that
 * the agent brought to its column, and leaves with the undo.
 */
export interface FlatBoard {
  readonly cards: readonly FlatCard[];
  /** By the id of the column. */
  readonly order: Readonly<Record<string, readonly Entry[]>>;
}

/** The board as a list. A card that is the same object is the same in the list, so that only what changed is compared. */
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

/** Puts the cards into their columns, each in its order; a card without a place there is the last. */
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
