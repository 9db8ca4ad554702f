import { toBase64Url } from './base64-url.js';
import { encode } from './encode.js';
import type { SealScope } from './seal.js';

/** The most names that are kept; a digest takes longer than the rest of a request. */
const MOST_KEPT = 10_000;
/** Bytes of a digest that make a name: two scopes with one name are not to be found. */
const LENGTH = 16;

const kept = new Map<string, Promise<string>>();

/** Returns a name for a user with an alias that tells nothing about either. */
export function scopeName({ user, alias }: SealScope): Promise<string> {
  const text = JSON.stringify([user, alias]);
  const known = kept.get(text);
  if (known !== undefined) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const name = digest(text);
  kept.set(text, name);
  return name;
}

async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', encode(text)));
  return toBase64Url(bytes.subarray(0, LENGTH));
}
