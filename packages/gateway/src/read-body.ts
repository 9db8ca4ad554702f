import type { Clock } from '@handrail/session/provider';
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
  const stop = clock.schedule(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, BODY_MS);
  try {
    return await readText(reader, maxBytes, () => isLate);
  } finally {
    stop();
  }
}

async function readText(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
  isLate: () => boolean,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let length = 0;
  let text = '';
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw isLate() ? late() : malformed('The body of the request was cut.');
    });
    if (isLate()) throw late();
    if (done) return text + decode(decoder, undefined);
    length += value.byteLength;
    if (length > maxBytes) {
      reader.cancel().catch(() => {});
      throw tooLong(maxBytes);
    }
    text += decode(decoder, value);
  }
}

function decode(decoder: TextDecoder, bytes: Uint8Array | undefined): string {
  try {
    return decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw malformed('The body is no UTF-8.');
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
