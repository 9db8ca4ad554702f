import type { Command } from './command.js';
import { QUOTED } from './quoted.js';

/** A part of a message, with the command that a rule reads in it. */
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
/** Words of others, and words about words. */
const REPORTED =
  /\b(?:said|says|saying|wrote|writes|told|tells|asked|asks|means?|translate|repeat|quote|spell|summari[sz]e|pronounce|phrase|previous|instructions?)\b/i;
const LATER =
  /^(?:(?:please|ok)[,\s]+)*(?:tomorrow|tonight|later|soon|next \w+|on \w+day|at \d|in (?:an?|\d+|\w+) (?:minutes?|hours?|days?|weeks?)|every \w+)\b/i;
const EXCEPTION = /\b(?:but|except|keep|only|apart from|besides|other than|not)\b/i;

/**
 * Whether a message with a command in it is none: it forbids, it makes a condition, it tells what others say, or it takes itself back. A rule would do
 * what the user does not want.
 */
export function isNoOrder(message: string, read: readonly ReadPart[]): boolean {
  const text = message.replace(QUOTED, '“”');
  // The title of a card may say anything, as far as its part goes.
  const withoutTitles = text.replace(
    /\b(?:called|named|titled|that says|saying|with the title)\s[^,;.\n]*/gi,
    '',
  );
  if ([NEGATION, CONDITION, TAKEN_BACK, REPORTED, LATER].some((words) => words.test(withoutTitles)))
    return true;
  const unread = read.filter(({ command }) => command.type === 'talk' && command.about === 'unknown');
  if (unread.length === 0) return false;
  // An exception is for what names no card by itself.
  const isBroad = read.some(
    ({ command }) =>
      ['clear', 'tidy', 'ready', 'choose'].includes(command.type) ||
      ('cards' in command && command.cards.by === 'column'),
  );
  if (isBroad && unread.some(({ part }) => EXCEPTION.test(part))) return true;
  return unread.some(({ part }) => !/^but\b/i.test(part) && !isJoined(message, part));
}

/** Whether "then" or "and" stand at one side of a part. Where nothing joins it, it may be about the rest: a quotation, its address, or a second thought. */
function isJoined(message: string, part: string): boolean {
  const at = message.indexOf(part);
  const before = message.slice(0, at);
  const after = message.slice(at + part.length);
  return (
    /\b(?:and|then)\s+(?:(?:please|also|now)\s+)*$/i.test(before) || /^[,.!?\s]*(?:and|then)\b/i.test(after)
  );
}
