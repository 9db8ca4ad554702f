import type { Clock } from '@banister/provider';
import { malformed, Refusal } from './refusal.js';

/** The time limit for receiving a body, in milliseconds. */
const BODY_MS = 30_000;

/**
 * Returns the body of a request as a string. Reads at most `maxBytes` bytes, for at most half a minute.
 *
 * @throws Refusal 413 if the body is too long, 408 if it is too slow, 415 if it is compressed, because its real size is unknown, 400 if it
 *   is not UTF-8
 */
export async function readBody(request: Request, maxBytes: number, clock: Clock): Promise<string> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity')
    throw new Refusal(415, 'invalid-input', 'The gateway does not accept compressed requests.');
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
    throw thrown instanceof Refusal ? thrown : malformed('The body is incomplete, or it is not UTF-8.');
  } finally {
    stop();
  }
}

/** Closes the connection, because the client may still be sending. */
function late(): Refusal {
  return new Refusal(408, 'timeout', 'The request took too long.', {}, { connection: 'close' });
}

/** Has the code `context-length`, because a shorter conversation helps. */
function tooLong(maxBytes: number): Refusal {
  return new Refusal(413, 'context-length', `The request is longer than ${maxBytes} bytes.`, {
    details: { limit: 'maxBodyBytes' },
  });
}
