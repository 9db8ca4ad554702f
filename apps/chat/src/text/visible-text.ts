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
