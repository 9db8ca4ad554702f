import { toBase64Url } from './base64-url.js';
import { encode } from './encode.js';
import type { SealScope } from './seal.js';

/** Bytes of a digest that make a name: two scopes with one name are not to be found. */
const LENGTH = 16;

/** Returns a name for a user with an alias that tells nothing about either. */
export async function scopeName({ user, alias }: SealScope): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', encode(JSON.stringify([user, alias])));
  return toBase64Url(new Uint8Array(digest, 0, LENGTH));
}
