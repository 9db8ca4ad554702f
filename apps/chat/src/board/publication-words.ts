import { audienceWords } from './audience-words.js';
import type { Publication } from './board-store.js';
import { dayWords } from './day-words.js';

/** Says for whom the board was published, and on which day if a day was chosen. */
export function publicationWords({ audience, on }: Publication): string {
  const readers = audienceWords(audience);
  const day = on === undefined ? null : dayWords(on);
  return day === null ? `Published for ${readers}` : `Goes out to ${readers} on ${day}`;
}
