import { isJsonObject, strictParse, type JsonObject, type JsonValue } from '@banister/provider';
import { fieldsOf, listOf, textIn } from '@banister/wire';

/** Fields whose pieces are joined. For every other field the last value counts. */
const joined = ['text', 'summary', 'data'];

/**
 * Assembles the streamed pieces of `reasoning_details`. OpenRouter, and servers that imitate it, send signed reasoning in this
 * form beside the plain text, and expect it back unchanged.
 */
export class ReasoningDetails {
  private readonly details: Record<string, JsonValue>[] = [];

  add(pieces: unknown): void {
    for (const piece of listOf(pieces)) {
      if (!isJsonObject(piece)) continue;
      const known = this.details.find(
        (detail) =>
          piece['index'] !== undefined &&
          detail['index'] === piece['index'] &&
          detail['type'] === piece['type'],
      );
      if (known) merge(known, piece);
      else this.details.push({ ...piece });
    }
  }

  /** Returns the details that go back to the server; undefined if there are none. */
  whole(): JsonValue | undefined {
    if (this.details.length === 0) return undefined;
    // The details stay in the conversation, so they must be within the limits for JSON from outside.
    const checked = strictParse(JSON.stringify(this.details));
    return checked.ok ? checked.value : undefined;
  }
}

function merge(known: Record<string, JsonValue>, piece: JsonObject): void {
  for (const [key, value] of Object.entries(piece)) {
    if (joined.includes(key) && typeof value === 'string') known[key] = textIn(known[key]) + value;
    else if (value !== null && key !== '__proto__') known[key] = value;
  }
}

/** Returns the readable text of the pieces, for servers that send thinking only in this form. */
export function reasoningTextOf(pieces: unknown): string {
  return listOf(pieces).reduce<string>((text, piece) => {
    const fields = fieldsOf(piece);
    return text + (textIn(fields['text']) || textIn(fields['summary']));
  }, '');
}
