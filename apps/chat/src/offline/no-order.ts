import type { Command } from './command.js';
import { QUOTED } from './quoted.js';

/** A part of a message, with the command that a rule finds in it. */
interface ReadPart {
  readonly part: string;
  readonly command: Command;
}

const NEGATION =
  /\b(?:don[’']?t|do not|never|mustn[’']?t|shouldn[’']?t|won[’']?t|(?:must|should|will|would) not|no need to|not to)\b/i;
const CONDITION =
  /\b(?:if|unless|when|whenever|until|in case|as soon as|provided|suppose|supposing|imagine|pretend|would|once (?!more\b))\b/i;
const TAKEN_BACK =
  /\b(?:just kidding|kidding|joking|jk|never ?mind|forget (?:it|that)|on second thoughts?|or not|not (?:yet|now|really|anymore|today)|no wait|wait no|scrap that|changed my mind)\b/i;
/** Matches quoted speech, and words about words. */
const REPORTED =
  /\b(?:said|says|saying|wrote|writes|told|tells|asked|asks|means?|translate|repeat|quote|spell|summari[sz]e|pronounce|phrase|previous|instructions?)\b/i;
const LATER =
  /^(?:(?:please|ok)[,\s]+)*(?:tomorrow|tonight|later|soon|next \w+|on \w+day|at \d|in (?:an?|\d+|\w+) (?:minutes?|hours?|days?|weeks?)|every \w+)\b/i;
const EXCEPTION = /\b(?:but|except|keep|only|apart from|besides|other than|not)\b/i;

/**
 * Returns whether a message that contains a command is not meant as one: it forbids, sets a condition,
 * reports what others say, or takes itself back. Following a rule would then do what the user does not want.
 */
export function isNoOrder(message: string, read: readonly ReadPart[]): boolean {
  const text = message.replace(QUOTED, '“”');
  // The title of a card may contain any words.
  const withoutTitles = text.replace(
    /\b(?:called|named|titled|that says|saying|with the title)\s[^,;.\n]*/gi,
    '',
  );
  if ([NEGATION, CONDITION, TAKEN_BACK, REPORTED, LATER].some((words) => words.test(withoutTitles)))
    return true;
  const unread = read.filter(({ command }) => command.type === 'talk' && command.about === 'unknown');
  if (unread.length === 0) return false;
  // An exception only makes sense for a command that does not name single cards.
  const isBroad = read.some(
    ({ command }) =>
      ['clear', 'tidy', 'ready', 'choose'].includes(command.type) ||
      ('cards' in command && command.cards.by === 'column'),
  );
  if (isBroad && unread.some(({ part }) => EXCEPTION.test(part))) return true;
  return unread.some(({ part }) => !/^but\b/i.test(part) && !isJoined(message, part));
}

/**
 * Returns whether "then" or "and" is beside a part. A part without such a word may be about the rest: a
 * quotation, its source, or an afterthought.
 */
function isJoined(message: string, part: string): boolean {
  const at = message.indexOf(part);
  const before = message.slice(0, at);
  const after = message.slice(at + part.length);
  return (
    /\b(?:and|then)\s+(?:(?:please|also|now)\s+)*$/i.test(before) || /^[,.!?\s]*(?:and|then)\b/i.test(after)
  );
}
