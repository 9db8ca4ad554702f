import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { CardDetails } from './board.js';
import { detailsIn } from './card-details.js';

/** A card as its change records it, before or after the change. A review shows it, even after a reload. */
export interface CardState extends CardDetails {
  readonly id: string;
  readonly title: string;
  /** The title of the card's column. */
  readonly column: string;
  /** 0-based position in the column. */
  readonly index: number;
}

/** Returns the card in a recorded value; null if the value is absent or not a card. */
export function cardStateIn(value: JsonValue | undefined): CardState | null {
  if (!isJsonObject(value)) return null;
  const { id, title, column, index } = value;
  return typeof id === 'string' &&
    typeof title === 'string' &&
    typeof column === 'string' &&
    typeof index === 'number'
    ? { id, title, column, index, ...detailsIn(value) }
    : null;
}
