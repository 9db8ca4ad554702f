import type { Clock } from '@banister/session/provider';
import { malformed, Refusal } from './refusal.js';

/** The longest time until a body is whole, in milliseconds. */
const BODY_MS = 30_000;

/**
 * Returns the text of a request's body. Reads no more than the permitted bytes, and no longer than half a minute.
 *
 * @throws Refusal 413 for a longer body, 408 for a slow one, 415 for a compressed one, whose size unpacked is unknown, 400 for one that is
 *   no UTF-8
 */
export async function readBody(request: Request, maxBytes: number, clock: Clock): Promise<string> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new Refusal(415, 'invalid-input', 'The gateway takes no compressed requests.');
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLong(maxBytes);
  const reader = request.body?.getReader();
  if (reader === undefined) throw malformed('The request has no body.');
  let isLate = false;
  const leave = () => void reader.cancel().catch(() => {});
  const stop = clock.schedule(() => {
    isLate = true;
    leave();
  }, BODY_MS);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let length = 0;
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) throw late();
      text += decoder.decode(value, { stream: !done });
      if (done) return text;
      length += value.byteLength;
      if (length > maxBytes) throw tooLong(maxBytes);
    }
  } catch (thrown) {
    leave();
    throw thrown instanceof Refusal ? thrown : malformed('The body is cut, or no UTF-8.');
  } finally {
    stop();
  }
}

/** A client that goes on sending would hold its connection. */
function late(): Refusal {
  return new Refusal(408, 'timeout', 'The request took too long.', {}, { connection: 'close' });
}

/** With the code that a shorter conversation is the answer to. */
function tooLong(maxBytes: number): Refusal {
  return new Refusal(413, 'context-length', `The request is longer than ${maxBytes} bytes.`, {
    details: { limit: 'maxBodyBytes' },
  });
}
