import { toBase64Url } from './base64-url.js';
import { encode } from './encode.js';
import type { SealScope } from './seal.js';

/** The number of digest bytes in a name. So many bytes that two scopes never get the same name. */
const LENGTH = 16;
/** The maximal number of names in the cache. */
const MOST_NAMES = 10_000;

/** A cache, because a digest runs in another thread and takes longer than all other work before a model is asked. */
const names = new Map<string, string>();

/** Returns a name for a user with an alias. The name reveals neither of them. */
export async function scopeName({ user, alias }: SealScope): Promise<string> {
  const scope = JSON.stringify([user, alias]);
  const known = names.get(scope);
  if (known) return known;
  const digest = await crypto.subtle.digest('SHA-256', encode(scope));
  const name = toBase64Url(new Uint8Array(digest, 0, LENGTH));
  if (names.size >= MOST_NAMES) names.clear();
  names.set(scope, name);
  return name;
}
