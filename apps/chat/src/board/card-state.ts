import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { CardDetails } from './board.js';
import { detailsIn } from './card-details.js';

/** A card as a change of it records it, before or after: a review shows it, also after a reload. */
export interface CardState extends CardDetails {
  readonly id: string;
  readonly title: string;
  /** The title of its column. */
  readonly column: string;
  /** 0-based position in the column. */
  readonly index: number;
}

/** Returns the card that a recorded value holds; null for an absent value, and for one of another kind. */
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
