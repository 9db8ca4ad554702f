import { QUOTED } from './quoted.js';

/** Reads a text as one command; null where no rule fits it. */
type Read = (text: string) => { readonly type: string } | null;

const VERB =
  /^(?:(?:please|also|now|could you|can you)\s+)*(?:add|create|make|write|delete|remove|drop|throw away|move|put|drag|bring|rename|edit|change|retitle|call|clear|empty|tidy|clean|assign|reassign|unassign|give|set|label|tag|mark|estimate|publish|share|list|show|finish|complete|start|begin|plan|prepare|organi[sz]e)\s/i;
/** A text after which a command is complete. */
const CLOSED =
  /(?:[\uE001]|\b(?:to ?do|doing|done|cards?|tasks?|board|everyone|team|table|week|it|this|them|those)(?: column| list)?)[.!?\s]*$/i;
/** A text that continues the text before it: another title, a place, a number of cards. */
const GOES_ON =
  /^(?:[\uE000]|(?:an?|the|one|two|three|four|five|six|seven|eight|\d+|to|in|into|from|of|on|for|about|with|as|to ?do|doing|done)\b)/i;
/** Nothing but courtesy. */
const COURTESY = /^(?:please|ok|okay|now)?[.!?\s]*$/i;
/** A question mark stays with its question. */
const JOINT = /(?:\s*[,.!]\s+|(?<=\?)\s+)(?:and\s+|also\s+)*|\s+and\s+(?:also\s+)?/gi;

/**
 * Divides a message into its commands, never inside quotation marks. "Then", a semicolon and a new line
 * always divide it. "And", a comma and the end of a sentence divide it if a second command follows, or if the
 * first command is complete and the text does not continue it.
 */
export function splitWishes(text: string, read: Read): readonly string[] {
  const quotes: string[] = [];
  const masked = text.replace(QUOTED, (quote) => `\uE000${quotes.push(quote) - 1}\uE001`);
  const unmask = (part: string): string =>
    part.replace(/\uE000(\d+)\uE001/g, (_, index: string) => quotes[Number(index)]!);
  return masked
    .split(/\s*(?:;|\n|,? (?:and )?then )\s*/i)
    .flatMap((clause) => divided(clause, (part) => read(unmask(part))))
    .filter((part) => !COURTESY.test(part))
    .map(unmask);
}

function divided(clause: string, read: Read): readonly string[] {
  for (const { index, 0: joint } of clause.matchAll(JOINT)) {
    const before = clause.slice(0, index);
    const after = clause.slice(index + joint.length);
    const isTwo = read(before) !== null && beginsCommand(after, read);
    if (isTwo || (isClosed(before, read) && !GOES_ON.test(after))) return [before, ...divided(after, read)];
    const like = isClosed(before, read) && sameVerb(before, after);
    if (like) return [before, ...divided(like, read)];
  }
  return [clause];
}

/** Returns whether a complete command is at the beginning of a text. */
function beginsCommand(text: string, read: Read): boolean {
  if (!VERB.test(text)) return false;
  const ends = [...text.matchAll(JOINT)].map(({ index }) => index);
  return [...ends, text.length].some((end) => isClosed(text.slice(0, end), read));
}

function isClosed(text: string, read: Read): boolean {
  const command = read(text);
  // The value of a detail is at the end.
  if (command?.type === 'detail') return true;
  if (!CLOSED.test(text)) return false;
  // A title without quotation marks may continue.
  return command !== null && (command.type !== 'add' || /\uE001/.test(text) || endsWithColumn(text));
}

/**
 * "Add “A” to Todo and “B” to Done": returns the second title with the verb of the first; null if the text
 * has another form.
 */
function sameVerb(before: string, after: string): string | null {
  const isLike = /^\uE000/.test(after) && endsWithColumn(before) && endsWithColumn(after);
  const verb = /^(?:(?:please|also|now)\s+)*(\w+)/i.exec(before.trim())?.[1];
  return isLike && verb !== undefined ? `${verb} ${after}` : null;
}

function endsWithColumn(text: string): boolean {
  return /\b(?:to|in|into|on)\s+(?:the )?(?:to ?do|doing|done)(?: column| list)?[.!?\s]*$/i.test(text);
}
