import type { JsonValue } from '@banister/session';

/** Characters that JSON leaves as they are, and that end a line, are invisible, or could be a part of a tag. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}\p{DI}<>]/gu;

/** Returns a value as JSON in one line of visible characters, so that a text inside cannot imitate a line, a tag or a message. */
export function jsonLine(value: JsonValue): string {
  return JSON.stringify(value).replace(UNSAFE, (character) =>
    Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join(''),
  );
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}
