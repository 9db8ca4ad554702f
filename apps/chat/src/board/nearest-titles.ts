/** Returns at most three titles that share a word with a text. */
export function nearestTitles(text: string, titles: readonly string[]): readonly string[] {
  const wanted = wordsOf(text).filter((word) => !EMPTY.has(word));
  const shared = (title: string): number =>
    wordsOf(title).filter((word) => wanted.some((one) => one === word || isMistyped(one, word))).length;
  return titles
    .filter((title) => shared(title) > 0)
    .toSorted((a, b) => shared(b) - shared(a))
    .slice(0, 3);
}

/** Words that say nothing about the topic of a card. */
export const EMPTY = new Set([
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

export function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns whether two words differ by one added, missing or different letter, or by two swapped letters. */
export function isMistyped(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < 4 || Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const [left, right] = [a.slice(start, a.length - end), b.slice(start, b.length - end)];
  return (left.length <= 1 && right.length <= 1) || left === [...right].reverse().join('');
}
