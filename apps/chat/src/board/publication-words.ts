import { audienceWords } from './audience-words.js';
import type { Publication } from './board-store.js';
import { dayWords } from './day-words.js';

/** For whom the board was published, and when it goes out where that was chosen. */
export function publicationWords({ audience, on }: Publication): string {
  const readers = audienceWords(audience);
  const day = on === undefined ? null : dayWords(on);
  return day === null ? `Published for ${readers}` : `Goes out to ${readers} on ${day}`;
}
