import { EMPTY, nearestTitles, wordsOf } from '../board/nearest-titles.js';
import type { ListedCard } from './tell-outcomes.js';

/** The cards that some words mean. */
export type Meant =
  | { readonly kind: 'found'; readonly titles: readonly string[] }
  /** Several cards fit equally well. */
  | { readonly kind: 'several'; readonly titles: readonly string[] }
  /** No card fits; the nearest titles come first. */
  | { readonly kind: 'none'; readonly words: string; readonly nearest: readonly string[] };

/**
 * Finds cards by the words of their titles: all words at once, or each member of a list separately. If no
 * card fits one member of the list, the result is `none`.
 */
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

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
