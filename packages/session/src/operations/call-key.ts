import type { JsonObject } from '@banister/provider';
import { canonicalJson } from '@banister/provider/internal/json/json';

/** Returns a string for the tool and the arguments of a call. It is equal for repetitions of the call. */
export function callKey(call: {
  readonly tool: string;
  readonly argumentsText: string;
  /** null if the text is not an acceptable JSON object. */
  readonly arguments: JsonObject | null;
}): string {
  const { tool, argumentsText, arguments: parsed } = call;
  return `${tool} ${parsed === null ? argumentsText : canonicalJson(parsed)}`;
}
