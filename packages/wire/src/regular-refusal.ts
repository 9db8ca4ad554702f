import { isJsonObject, type JsonObject } from '@banister/provider';
import { errorIn } from './in-band-error.js';
import { jsonIn } from './json-fields.js';

/** Characters of an error's body that are read. */
const LONGEST_BODY = 64 * 1024;
/** The longest wait for an error's body, in milliseconds. */
const DEADLINE = 5_000;
/** Characters that are kept of a body that is not JSON. */
const LONGEST_TEXT = 500;

/** Statuses for which the constructor of `Response` refuses a body. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Reads the body of a refusal within limits and returns it in the only shape that official clients keep: `{
 * type: 'error', error: { … } }`. They would drop the words of any other shape. Keys are redacted here,
 * before an error with keys exists.
 */
export async function regularRefusal(
  response: Response,
  redact: (text: string) => string,
): Promise<Response> {
  const { status, statusText } = response;
  const headers = new Headers();
  for (const [name, value] of response.headers) headers.set(name, redact(value));
  // Both headers describe the original body.
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
    // A web page is of no use in an error message.
    return words === '' || words.startsWith('<') ? {} : { message: words.slice(0, LONGEST_TEXT) };
  }
  const error = errorIn(body) ?? (Array.isArray(body) ? body[0] : body);
  return isJsonObject(error) ? error : { message: String(error) };
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
    return text; // the status alone classifies the error
  } finally {
    clearTimeout(timer);
  }
}
