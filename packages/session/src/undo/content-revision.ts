import { hashesOf } from '@banister/provider/internal/json/hash';
import { canonicalJson } from '@banister/provider/internal/json/json';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';

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

/** Returns the hashes of a string as one string. */
function hashOf(text: string): string {
  return hashesOf(text)
    .map((hash) => hash.toString(36))
    .join('-');
}
