export type ColumnId = 'todo' | 'doing' | 'done';

/** The details of a card beside its title. Each may be absent. */
export interface CardDetails {
  readonly owner?: string;
  /** A day, as YYYY-MM-DD. */
  readonly due?: string;
  readonly label?: string;
  /** Days of work. */
  readonly estimate?: number;
}

export interface Card extends CardDetails {
  readonly id: string;
  readonly title: string;
}

export interface Column {
  readonly id: ColumnId;
  readonly title: string;
  readonly cards: readonly Card[];
}

/** The board as plain data. Only {@link applyChange} changes it. */
export type Columns = readonly Column[];

/** The position of a card. */
export interface Place {
  readonly column: ColumnId;
  readonly index: number;
}

export interface PlacedCard {
  readonly card: Card;
  readonly place: Place;
}

/** Returns the column with this title or id, ignoring case and spelling of spaces. */
export function columnNamed(columns: Columns, name: string): Column | undefined {
  const wanted = name.toLowerCase().replace(/[^a-z]/g, '');
  return columns.find((column) => column.id === wanted || column.title.toLowerCase() === name.toLowerCase());
}

/** Returns the card with this id, or else with this title. */
export function findCard(columns: Columns, reference: string): PlacedCard | undefined {
  const all = cardsOf(columns);
  const wanted = reference.trim().toLowerCase();
  return (
    all.find(({ card }) => card.id === reference) ??
    all.find(({ card }) => card.title.toLowerCase() === wanted)
  );
}

export function cardsOf(columns: Columns): readonly PlacedCard[] {
  return columns.flatMap(({ id, cards }) =>
    cards.map((card, index) => ({ card, place: { column: id, index } })),
  );
}

export function columnTitle(columns: Columns, id: ColumnId): string {
  return columns.find((column) => column.id === id)?.title ?? id;
}
