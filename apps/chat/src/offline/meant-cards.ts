import type { ListedCard } from './tell-outcomes.js';

/** The cards that some words mean. */
export type Meant =
  | { readonly kind: 'found'; readonly titles: readonly string[] }
  /** Each of them fits as well. */
  | { readonly kind: 'several'; readonly titles: readonly string[] }
  /** None fits; the nearest come first. */
  | { readonly kind: 'none'; readonly words: string; readonly nearest: readonly string[] };

/** Finds cards by the words of their titles: all at once, or each member of a list for itself. A part of a list that fits none finds none at all. */
export function meantCards(words: string, cards: readonly ListedCard[]): Meant {
  const whole = meantCard(words, cards);
  if (whole.kind !== 'none') return whole;
  const parts = words.split(/\s*,\s*(?:and\s+)?|\s+and\s+/i).filter(Boolean);
  if (parts.length < 2) return whole;
  const found = parts.map((part) => meantCard(part, cards));
  const open = found.find(({ kind }) => kind !== 'found');
  return open ?? { kind: 'found', titles: [...new Set(found.flatMap((one) => titlesOf(one)))] };
}

function titlesOf(meant: Meant): readonly string[] {
  return meant.kind === 'none' ? [] : meant.titles;
}

function meantCard(words: string, cards: readonly ListedCard[]): Meant {
  const titles = [...new Set(cards.map(({ title }) => title))];
  const plain = words.trim().replace(/^(?:the )?(?:card |task )?(?:called |named |titled )?/i, '');
  const same = titles.find((title) => [words.trim(), plain].some((text) => isSame(text, title)));
  if (same !== undefined) return { kind: 'found', titles: [same] };
  const wanted = wordsOf(plain).filter((word) => !EMPTY.has(word));
  const fitting = titles.filter(
    (title) => wanted.length > 0 && wanted.every((word) => wordsOf(title).includes(word)),
  );
  if (fitting.length === 1) return { kind: 'found', titles: fitting };
  if (fitting.length > 1) return { kind: 'several', titles: fitting };
  return { kind: 'none', words: words.trim(), nearest: nearestTitles(plain, titles) };
}

/** The titles that have a word of a text, at most three. */
export function nearestTitles(text: string, titles: readonly string[]): readonly string[] {
  const wanted = wordsOf(text).filter((word) => !EMPTY.has(word));
  const shared = (title: string): number =>
    wordsOf(title).filter((word) => wanted.some((one) => one === word || isMistyped(one, word))).length;
  return titles
    .filter((title) => shared(title) > 0)
    .toSorted((a, b) => shared(b) - shared(a))
    .slice(0, 3);
}

/** Words that are no part of what a card is about. */
const EMPTY = new Set([
  'the',
  'a',
  'an',
  'card',
  'task',
  'about',
  'with',
  'for',
  'of',
  'on',
  'to',
  'and',
  'called',
  'named',
]);

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Whether two words differ by a letter more, less or other, or by two that changed places. */
export function isMistyped(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (left.length <= 1 && right.length <= 1) || left === [...right].reverse().join('');
}
