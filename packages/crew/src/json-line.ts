/** Characters that JSON does not escape, and that are invisible, end a line, or are a part of a tag. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}<>]/gu;

/** Returns a value as JSON in one line of visible characters, so that a text in the value cannot imitate a line, a tag or a message. */
export function jsonLine(value: object): string {
  return JSON.stringify(value).replace(UNSEEN, (character) =>
    character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
