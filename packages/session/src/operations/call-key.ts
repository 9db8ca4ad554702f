import type { JsonObject } from '@banister/provider';
import { canonicalJson } from '@banister/provider/internal/json/json';

/** The text of the arguments of earlier calls. A call needs its key three times, and the same object has its arguments each time. */
const known = new WeakMap<JsonObject, string>();

/** Returns a string for the tool and the arguments of a call. It is equal for repetitions of the call. */
export function callKey(call: {
  readonly tool: string;
  readonly argumentsText: string;
  /** null if the text is not an acceptable JSON object. */
  readonly arguments: JsonObject | null;
}): string {
  const { tool, argumentsText, arguments: parsed } = call;
  if (parsed === null) return `${tool} ${argumentsText}`;
  const text = known.get(parsed) ?? canonicalJson(parsed);
  known.set(parsed, text);
  return `${tool} ${text}`;
}
