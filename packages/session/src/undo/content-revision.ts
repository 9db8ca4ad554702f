import { jsonCopy } from '../json/json-copy.js';
import { canonicalJson } from '../json/json.js';

/**
 * Returns a function `revision` for a domain, which makes a revision of the content: equal content has an equal revision, in whatever
 * order its keys were written, and after a reload too. A counter has not: it begins anew with each page, so that a turn of an earlier
 * page would be a conflict.
 *
 * Each call reads and hashes the whole content, several times a tool call. The hash has 64 bits and is not cryptographic: two contents
 * with the same revision can be made on purpose, and do not happen otherwise.
 *
 * @param read returns the content: a value that JSON can hold. Where it throws, or returns another value, the domain has no revision at
 *   that moment, and the error is reported
 * @example
 * const domain = defineDomain({ id: 'board', tools, revision: contentRevision(() => board.cards) });
 */
export function contentRevision(read: () => unknown): () => string {
  return () => hashOf(canonicalJson(jsonCopy(read())));
}

/** Two multiplicative hashes of 32 bits, mixed at the end, as text. */
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
