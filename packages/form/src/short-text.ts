import type { JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { englishWords, type FormWords } from './form-words.js';
import { labelOf } from './label-of.js';

/** The maximal number of parts of a list or an object that a short text shows. */
const mostParts = 3;
const longest = 80;

/**
 * Returns a value as a short text for the user, for "before → after".
 *
 * @param value undefined if the value is left out
 * @example
 * console.log(shortText({ dueDate: '2026-12-01', tags: ['a', 'b'] })); // Due date: 2026-12-01, Tags: a, b
 */
export function shortText(value: JsonValue | undefined, words: FormWords = englishWords): string {
  return cut(textOf(value, words, 0));
}

function textOf(value: JsonValue | undefined, words: FormWords, depth: number): string {
  if (value === undefined) return words.notGiven;
  if (value === null) return words.none;
  if (typeof value === 'string') return cut(value.replace(/\s+/g, ' ').trim() || JSON.stringify(value));
  if (typeof value === 'boolean') return value ? words.yes : words.no;
  if (typeof value === 'number') return String(value);
  const parts = isJsonObject(value)
    ? Object.keys(value).map((name) => [`${labelOf(name)}: `, value[name]!] as const)
    : (value as readonly JsonValue[]).map((item) => ['', item] as const);
  if (parts.length === 0 || depth > 1) return parts.length === 0 ? words.none : '…';
  const shown = parts.slice(0, mostParts).map(([label, part]) => label + textOf(part, words, depth + 1));
  const rest = parts.length - shown.length;
  return shown.join(', ') + (rest > 0 ? ` ${words.more(rest)}` : '');
}

/** Cuts between characters, never inside an emoji, which has two code units. */
function cut(text: string): string {
  const chars = text.length > longest ? [...text.slice(0, (longest + 1) * 2)] : [];
  return chars.length > longest ? `${chars.slice(0, longest - 1).join('')}…` : text;
}
