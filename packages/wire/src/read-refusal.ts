import { isJsonObject, type JsonObject } from '@handrail/session/provider';
import { jsonIn } from './json-fields.js';

/** Bytes of an error's body that are read. */
const LONGEST_BODY = 64 * 1024;
/** How long an error's body is waited for, in milliseconds. */
const DEADLINE = 5_000;
/** Characters of a body that is no JSON. */
const LONGEST_TEXT = 500;

/** Statuses that the constructor of `Response` refuses a body for. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Reads the body of a refusal within bounds and gives it the one shape that official clients keep:
 * `{ type: 'error', error: { … } }`, whatever a proxy in between has made of it. Of all others they would lose the words.
 * Keys are taken out here, before anybody can print them.
 */
export async function readRefusal(response: Response, redact: (text: string) => string): Promise<Response> {
  const { status, statusText } = response;
  const headers = new Headers();
  for (const [name, value] of response.headers) headers.set(name, redact(value));
  // Both describe the body that was, not the one that is passed on.
  headers.delete('content-length');
  headers.delete('content-encoding');
  if (WITHOUT_BODY.includes(status)) return new Response(null, { status, statusText, headers });
  const error = asError(redact(await readText(response)));
  return new Response(JSON.stringify({ type: 'error', error }), { status, statusText, headers });
}

function asError(text: string): JsonObject {
  const body = jsonIn(text);
  if (body === undefined) {
    const words = text.trim();
    // A page is for people's eyes, not for an error message.
    return words === '' || words.startsWith('<') ? {} : { message: words.slice(0, LONGEST_TEXT) };
  }
  return statedError(body) ?? { message: String(body) };
}

/** The error in a body, wherever servers put it, with the id that stands beside it; undefined when it holds no object. */
export function statedError(body: unknown): JsonObject | undefined {
  const whole: unknown = Array.isArray(body) ? body[0] : body; // Gemini wraps its errors in a list
  if (!isJsonObject(whole)) return undefined;
  const { error, request_id: requestId } = whole;
  if (!isJsonObject(error)) return whole;
  return requestId === undefined ? error : { ...error, request_id: requestId };
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const timer = setTimeout(() => void reader.cancel().catch(() => {}), DEADLINE);
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      text += decoder.decode(value, { stream: true });
      if (text.length > LONGEST_BODY) {
        await reader.cancel();
        return text.slice(0, LONGEST_BODY);
      }
    }
  } catch {
    return text; // the status says most of it
  } finally {
    clearTimeout(timer);
  }
}
