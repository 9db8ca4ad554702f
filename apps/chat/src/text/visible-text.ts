import { defaultIgnorable } from './default-ignorable.js';

/**
 * Controls except line breaks and tabs, line separators, and annotation marks. They are not default-ignorable
 * code points.
 */
const CONTROLS = '\\0-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u2028\\u2029\\uFFF9-\\uFFFB';

const IGNORABLE = defaultIgnorable
  .map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`)
  .join('');

/**
 * Characters that join an emoji: a joiner after a part of it, a selector of its presentation, and the
 * selector of a keycap.
 */
const OF_EMOJI = [
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D',
  '(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
].join('|');

/**
 * Characters that a reader cannot see and that change how the rest looks, or hide text in it: controls,
 * direction marks and overrides, invisible spaces, variation selectors, tags. Line breaks, tabs and
 * characters that join an emoji are not included.
 */
const UNSEEN = new RegExp(`(?!${OF_EMOJI})[${CONTROLS}${IGNORABLE}]`, 'gu');

/**
 * Returns text from a model or a tool in a form that is safe to show: invisible characters are replaced by
 * their codes, so that they cannot hide text or reverse it.
 *
 * @example
 * visibleText('invoice\u202Efdp.exe'); // 'invoice⟨U+202E⟩fdp.exe'
 */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (character) => `⟨U+${codeOf(character)}⟩`);
}

/**
 * An invisible character with up to 20 characters on each side, together with up to four more that are as
 * near. It does not begin between an emoji and the character that joins it to the next emoji.
 */
const AROUND_UNSEEN = new RegExp(
  `(?:(?:(?![\\u200D\\uFE0E\\uFE0F]).{1,20})?(?:${UNSEEN.source})){1,5}.{0,20}\\u20E3?`,
  'gsu',
);

/** When its result is longer than this, `unseenIn` reads no more of the text. */
const ENOUGH = 100;

/**
 * Returns the invisible characters of a text as `visibleText` shows them, with the text around them; "…"
 * stands for the rest. Empty if all characters are visible.
 *
 * @example
 * unseenIn(`${'-'.repeat(1000)}\u202Efdp`); // '…--------------------⟨U+202E⟩fdp'
 */
export function unseenIn(text: string): string {
  if (visibleText(text) === text) return '';
  let around = '';
  let end = 0;
  for (const { 0: part, index } of text.matchAll(AROUND_UNSEEN)) {
    around += index > end ? `…${part}` : part;
    end = index + part.length;
    if (around.length > ENOUGH) break;
  }
  return `${visibleText(around)}${end < text.length ? '…' : ''}`;
}

/** Returns JSON that can be read and edited, with invisible characters escaped. */
export function visibleJson(value: unknown): string {
  return (JSON.stringify(value, null, 2) ?? '').replace(UNSEEN, (character) =>
    character
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}

function codeOf(character: string): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
}
