import { toBase64Url } from './base64-url.js';
import { encode } from './encode.js';
import type { SealScope } from './seal.js';

/** Bytes of a digest that make a name: two scopes with one name are not to be found. */
const LENGTH = 16;
/** The most names that are kept. */
const MOST_NAMES = 10_000;

/** Kept, since a digest is made in another thread: the way there and back is longer than all else before a model is asked. */
const names = new Map<string, string>();

/** Returns a name for a user with an alias that tells nothing about either. */
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
