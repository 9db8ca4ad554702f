import { deepFreeze, isJsonObject, type JsonObject } from '../json/json.js';
import { strictParse } from '../json/strict-parse.js';

export type ParsedArguments =
  { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly message: string };

/** The text of a tool call as an object, or why it is none. No text at all means no arguments. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, value: {} };
  const parsed = strictParse(text);
  if (!parsed.ok) return parsed;
  if (!isJsonObject(parsed.value)) return { ok: false, message: 'The arguments must be a JSON object.' };
  return { ok: true, value: deepFreeze(parsed.value) };
}
