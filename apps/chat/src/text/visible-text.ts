/**
 * Characters that a reader cannot see and that change what the rest looks like: controls, direction marks and overrides,
 * invisible spaces, tags. Line breaks and tabs are left alone, and so is what joins an emoji together.
 */
const UNSEEN =
  // eslint-disable-next-line no-control-regex, no-misleading-character-class -- finding them is the point
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180E\u200B\u200C\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D|[\u{E0000}-\u{E0FFF}]/gu;

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
// eslint-disable-next-line no-misleading-character-class -- finding them is the point
const AROUND_UNSEEN = new RegExp(`(?:(?:(?!\u200D).{1,20})?(?:${UNSEEN.source})){1,5}.{0,20}`, 'gsu');

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
