export type ColumnId = 'todo' | 'doing' | 'done';

/** What a card says beside its title. Each of them may be absent. */
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

/** The board as plain data; changed only by {@link applyChange}. */
export type Columns = readonly Column[];

/** Where a card stands. */
export interface Place {
  readonly column: ColumnId;
  readonly index: number;
}

export interface PlacedCard {
  readonly card: Card;
  readonly place: Place;
}

/** The column with this title or id, however it is written. */
export function columnNamed(columns: Columns, name: string): Column | undefined {
  const wanted = name.toLowerCase().replace(/[^a-z]/g, '');
  return columns.find((column) => column.id === wanted || column.title.toLowerCase() === name.toLowerCase());
}

/** The card with this id, or else with this title. */
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
