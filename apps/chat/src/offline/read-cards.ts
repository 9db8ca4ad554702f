import type { Cards } from './command.js';
import { besideQuotes, quoted } from './quoted.js';

const numbers = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];
export const NUMBER = `\\d+|${numbers.slice(1).join('|')}|a few|some|several`;
export const COLUMN = '(?:the )?(to ?do|doing|done)(?: column| list)?';

/** Words that may be beside quoted titles. */
const BESIDE =
  /^(?:(?:an?|the|new|another|and|cards?|tasks?|called|named|titled|with|title|titles|please|saying|that|says|of)(?:\s|$))*$/;
/** Words for an amount or a choice that no rule can resolve. */
const AMOUNT =
  /\b(?:all|every|everything|any|anything|nothing|none|everyone|everybody|nobody|cards|tasks|both|half|most|rest|others?|except|but|not|no|or|only|duplicates?|column|columns|board|list)\b/i;
/** Something that is not on the board. */
const FOREIGN =
  /^(?:an?|my|your|his|her|their|me|you|us|him|them|over|with|again|up|out|on|off|now|this|that|these|those)\b/i;

/** Returns the cards that a text means; null if no rule understands it. */
export function readCards(text: string): Cards | null {
  const wanted = text.trim();
  const quotes = quoted(wanted);
  if (quotes.length > 0) {
    const { column, before } = splitColumn(besideQuotes(wanted), 'in|from|of|out of');
    if (!BESIDE.test(before)) return null;
    if (column === null) return { by: 'title', titles: quotes };
    return quotes.length === 1 ? { by: 'words', words: quotes[0]!, column } : null;
  }
  if (/^(?:it|them|that|those)$/i.test(wanted)) return { by: 'selection', isReference: true };
  if (/^(?:this|this one|(?:this|the selected|the) card|the selection)$/i.test(wanted))
    return { by: 'selection' };
  return readAmount(wanted) ?? readWords(wanted);
}

function readAmount(text: string): Cards | null {
  const found = new RegExp(
    `^(?:the\\s+)?(?:(first|last|next)\\s*)?(?:(${NUMBER}|all|every|everything)\\s*)?(?:of\\s+)?(?:the\\s+|my\\s+)?(cards?|tasks?)?\\s*(?:in|from|of|out of)\\s+${COLUMN}$`,
    'i',
  ).exec(text);
  if (found === null) return null;
  const [, from, count, kind, column] = found;
  if (from === undefined && count === undefined && !/s$/i.test(kind ?? '')) return null;
  const number = numberIn(count ?? '1');
  if (number === 0) return null;
  const all = count === undefined ? from === undefined : /all|every/i.test(count);
  return {
    by: 'column',
    column: titleOf(column!),
    count: all ? 'all' : number,
    from: from?.toLowerCase() === 'last' ? 'end' : 'start',
  };
}

function readWords(text: string): Cards | null {
  const { column, before } = splitColumn(text, 'in|from|of|out of');
  const words = before.replace(/\s+back$/i, '');
  const isNone = words === '' || AMOUNT.test(words) || FOREIGN.test(words) || /[?:\n]/.test(words);
  return isNone || words.length > 120 ? null : { by: 'words', words, column };
}

/** Returns the last "to Done" of a text, and the text before it. */
export function splitColumn(text: string, prepositions: string): { column: string | null; before: string } {
  const found = new RegExp(
    `^(.*?)\\s*(?:^|\\s)(?:${prepositions})\\s+${COLUMN}\\s*(?::\\s*(.*))?$`,
    'is',
  ).exec(text.trim());
  if (!found) return { column: null, before: text.trim() };
  const [, before, column, after] = found;
  return { column: titleOf(column!), before: [before, after].filter(Boolean).join(' ').trim() };
}

export function titleOf(column: string): string {
  const name = column.toLowerCase().replace(' ', '');
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Returns a number in words as a number: "a few" is three. */
export function numberIn(text: string): number {
  const digits = /\d+/.exec(text)?.[0];
  const known = numbers.indexOf(text.toLowerCase());
  return digits ? Number(digits) : known > 0 ? known : 3;
}
