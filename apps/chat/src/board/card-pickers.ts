import type { JsonObject } from '@banister/session';
import { cardsOf, columnTitle, findCard, type Columns } from './board.js';

/** A choice among objects of the app, for an argument that names one of them. */
export interface Picker {
  readonly options: readonly { readonly value: string; readonly label: string; readonly group: string }[];
  /** The value of the option that the argument names; null if the app has no such object. */
  readonly selected: string | null;
}

/** The pickers, by the path of the argument. */
export type Pickers = Readonly<Record<string, Picker>>;

/** Returns a picker for each argument of a call that names a card, by the name of the argument. */
export function cardPickers(columns: Columns, tool: string, args: JsonObject): Pickers {
  if (!tool.startsWith('board.') || typeof args['card'] !== 'string') return {};
  const cards = cardsOf(columns);
  // The value is the title, because the agent and the transcript show it. If two cards have the same title,
  // the value is the id.
  const valueOf = ({ id, title }: (typeof cards)[number]['card']): string =>
    cards.filter(({ card }) => card.title.toLowerCase() === title.toLowerCase()).length === 1 ? title : id;
  const found = findCard(columns, args['card']);
  return {
    card: {
      options: cards.map(({ card, place }) => ({
        value: valueOf(card),
        label: card.title,
        group: columnTitle(columns, place.column),
      })),
      selected: found ? valueOf(found.card) : null,
    },
  };
}
