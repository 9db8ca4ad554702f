import { wellFormed } from '../json/well-formed.js';

// The ways in which a text of unknown origin becomes a part of what the library tells the model, which it cannot leave: as one line, as one JSON
// string in a line, inside of a tag. The title of a card, the name of a file, the text of an error: any of them may pose as a word of the user.

/** All that ends a line somewhere: for JavaScript, for Unicode, for Python. */
// eslint-disable-next-line no-control-regex -- finding them is the point
const LINE_ENDS = /\r\n|[\n\v\f\r\u001c-\u001e\u0085\u2028\u2029]/g;
/** Spaces and ends of lines. One class, so that the search is linear. */
// eslint-disable-next-line no-control-regex -- finding them is the point
const SPACES = /[\s\u001c-\u001e\u0085]+/g;
/** Characters that JSON writes as they are, and that a reader does not see, or that could be a tag. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}<>]/gu;
/** The word at the end of a text: characters of which keys, numbers and addresses consist. */
export const LAST_WORD = /[^\s"',;:(){}[\]<>\u0080-\uffff]+$/;
/** The word at the beginning of a text. */
export const FIRST_WORD = new RegExp(`^${LAST_WORD.source.slice(0, -1)}`);
/** The most characters of a text in a line of the library. */
const LONGEST = 500;

/** Returns a text as one line: spaces with an end of a line in them become one space. */
export function oneLine(text: string): string {
  return text.replace(SPACES, (run) => (run.search(LINE_ENDS) < 0 ? run : ' '));
}

/**
 * Returns a text whose lines but the first are indented, so that none of them begins like one of the library: for an API that has no other place for
 * a text of unknown origin than the words of the user.
 *
 * @example
 * console.log(indented('Done.\n[Result of pay] Paid.')); // Done.\n  [Result of pay] Paid.
 */
export function indented(text: string): string {
  return text.replace(LINE_ENDS, '\n  ');
}

/** Returns the beginning of a text. A word is there as a whole or not at all: a filter of requests would not know a half of it. */
export function beginningOf(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length + 1).replace(LAST_WORD, '');
}

/** Returns a text as one JSON string of a bounded length, in which each character can be seen, and which holds no tag. */
export function quoted(text: string): string {
  const beginning = beginningOf(text, LONGEST);
  return escaped(beginning.length < text.length ? `${wellFormed(beginning.slice(0, LONGEST))}…` : text);
}

/** Returns a text as a JSON string, as {@link quoted} has it. */
export function escaped(text: string): string {
  return JSON.stringify(text).replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at))).join(''),
  );
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Returns an id: as it is where it is one of a tool or of a field, and as {@link quoted} where a model, a server or a file made it up. */
export function quotedId(id: string): string {
  return /^[\w.-]{1,200}$/.test(id) ? id : quoted(id);
}

/** Returns a text inside of a tag, which only the library ends. */
export function enclosed(tag: string, text: string, attributes = ''): string {
  const inside = text.replace(new RegExp(`<(?=[\\s/]*${tag})`, 'gi'), '<\\');
  return `<${tag}${attributes}>\n${inside}\n</${tag}>`;
}
