import type { JsonObject } from '@banister/provider';
import { deepFreeze, isJsonObject } from '@banister/provider/internal/json/json';
import { strictParse } from '@banister/provider/internal/json/strict-parse';

/** The parsed arguments, or why the text was refused. */
export type ParsedArguments =
  { readonly ok: true; readonly value: JsonObject } | { readonly ok: false; readonly message: string };

/** Parses the arguments of a tool call. Returns an object, or why the text is not an object. An empty text counts as `{}`. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, value: {} };
  const parsed = strictParse(text);
  if (!parsed.ok) return parsed;
  if (!isJsonObject(parsed.value)) return { ok: false, message: 'The arguments must be a JSON object.' };
  return { ok: true, value: deepFreeze(parsed.value) };
}
