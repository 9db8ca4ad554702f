import { jsonCopy } from '../json/json-copy.js';
import { canonicalJson } from '../json/json.js';

/**
 * Returns a function `revision` for a domain, which computes a revision from the content. Equal content has an equal revision, in whatever
 * order its keys were written, and also after a reload. A counter does not: it starts again with each page, so that the undo of a turn of
 * an earlier page would reject with `conflict`.
 *
 * Each call reads and hashes the whole content, several times per tool call. The hash has 64 bits and is not cryptographic: a different
 * content with the same revision can be constructed, but does not occur by chance.
 *
 * @param read returns the content, a value that JSON can hold. If it throws, or returns another value, the domain has no revision at that
 *   moment, and the error is reported
 * @example
 * const domain = defineDomain({ id: 'board', tools, revision: contentRevision(() => board.cards) });
 */
export function contentRevision(read: () => unknown): () => string {
  return () => hashOf(canonicalJson(jsonCopy(read())));
}

/** Computes two multiplicative hashes of 32 bits, mixes them at the end, and returns them as a string. */
function hashOf(text: string): string {
  let first = 0xdeadbeef;
  let second = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    first = Math.imul(first ^ code, 0x9e3779b1);
    second = Math.imul(second ^ code, 0x5f356495);
  }
  const mix = (one: number, other: number) =>
    Math.imul(one ^ (one >>> 16), 0x85ebca6b) ^ Math.imul(other ^ (other >>> 13), 0xc2b2ae35);
  return [mix(first, second), mix(second, first)].map((part) => (part >>> 0).toString(36)).join('-');
}
