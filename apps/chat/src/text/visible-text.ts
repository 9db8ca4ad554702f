import { defaultIgnorable } from './default-ignorable.js';

/** Controls but line breaks and tabs, separators of lines, and marks of annotations: they are no default-ignorable code points. */
const CONTROLS = '\\0-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u2028\\u2029\\uFFF9-\\uFFFB';

const IGNORABLE = defaultIgnorable
  .map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`)
  .join('');

/** What joins an emoji together: a joiner behind a part of it, a selector of its presentation, also that of a keycap. */
const OF_EMOJI = [
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D',
  '(?<=\\p{Extended_Pictographic})[\\uFE0E\\uFE0F]',
  '(?<=[0-9#*])\\uFE0F(?=\\u20E3)',
].join('|');

/**
 * Characters that a reader cannot see and that change what the rest looks like, or hide a text in it: controls, direction marks and overrides,
 * invisible spaces, variation selectors, tags. Line breaks and tabs are left alone, and so is what joins an emoji together.
 */
const UNSEEN = new RegExp(`(?!${OF_EMOJI})[${CONTROLS}${IGNORABLE}]`, 'gu');

/**
 * Text from a model or a tool, as it may be shown: an invisible character is replaced by its code, so that nothing can
 * hide in it or turn it around.
 *
 * @example
 * visibleText('invoice\u202Efdp.exe'); // 'invoice⟨U+202E⟩fdp.exe'
 */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (character) => `⟨U+${codeOf(character)}⟩`);
}

/**
 * An unseen character with up to 20 characters at each side, together with up to four that follow as near. It does not begin between
 * an emoji and the character that joins it to the next one.
 */
const AROUND_UNSEEN = new RegExp(
  `(?:(?:(?![\\u200D\\uFE0E\\uFE0F]).{1,20})?(?:${UNSEEN.source})){1,5}.{0,20}\\u20E3?`,
  'gsu',
);

/** Above this length, `unseenIn` takes no more of a text. */
const ENOUGH = 100;

/**
 * Returns the characters of a text that cannot be seen, as `visibleText` shows them, with what is around them: "…" stands for the rest
 * of the text. Empty where all of it can be seen.
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

/** JSON that can be read and edited: unseen characters are escaped in it. */
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
