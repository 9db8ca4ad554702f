import type { FetchedResponse } from './fetch-watched.js';

/** Headers that carry a key. */
const keyHeaders = ['authorization', 'x-api-key', 'api-key'];

/**
 * Sends a request. If the server refuses the key, sends it once more with a new key, because a short-lived
 * key may expire before `fetchKey` knows.
 *
 * @param send sends a request with the given options
 * @param fetchKey returns a key; null if the app gave the key itself
 */
export async function fetchWithKey(
  send: (init: RequestInit) => Promise<FetchedResponse>,
  init: RequestInit,
  fetchKey: (() => Promise<string>) | null,
): Promise<FetchedResponse> {
  const first = await send(init);
  if (fetchKey === null || first.watch !== null || !(await isKeyRefused(first.response))) return first;
  // If there is no other key, the refusal counts.
  const key = await fetchKey().catch(() => '');
  const headers = new Headers(init.headers);
  let isOther = false;
  for (const name of keyHeaders) {
    const value = headers.get(name);
    const scheme = /^(?:\w+\s+)?/.exec(value ?? '')?.[0] ?? '';
    if (key === '' || value === null || value === scheme + key) continue;
    headers.set(name, scheme + key);
    isOther = true;
  }
  return isOther && !init.signal?.aborted ? send({ ...init, headers }) : first;
}

async function isKeyRefused(response: Response): Promise<boolean> {
  if (response.status === 401) return true;
  if (response.status !== 400 && response.status !== 403) return false;
  return /\b(?:key|token|credential)s?\b[^.]*\bexpired\b|\bexpired\b[^.]*\b(?:key|token|credential)/i.test(
    await response.clone().text(),
  );
}
