import { textOf } from '@banister/session';
import type { Message } from '@banister/provider';

/** The longest title, in UTF-16 code units. */
const LONGEST_TITLE = 60;

/** Returns the first line of the first message that has text, as the title of a session; undefined if no message has text. */
export function titleOf(messages: readonly Message[]): string | undefined {
  for (const message of messages) {
    // Two steps, because one regular expression for spaces before a line end takes quadratic time.
    const [first = ''] = textOf(message)
      .trim()
      .split(/[\n\v\f\r\u0085\u2028\u2029]/);
    const line = first.trimEnd();
    if (line === '') continue;
    if (line.length <= LONGEST_TITLE) return line;
    // Do not end in half a surrogate pair.
    return `${line.slice(0, LONGEST_TITLE - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
  }
  return undefined;
}
