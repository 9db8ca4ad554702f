import type { JsonValue } from './json.js';

/** Longest JSON that is read from a model, in UTF-16 code units. */
export const longestJson = 1_048_576;

/** Bounds for text that a model wrote. Both are generous for real tool calls and far below what hurts. */
export interface StrictParseBounds {
  /** Longest accepted text, in UTF-16 code units. Default 1,048,576. */
  readonly maxLength?: number;
  /** Deepest accepted nesting of objects and arrays. Default 64. */
  readonly maxDepth?: number;
}

export type StrictParseResult =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string };

/**
 * Parses JSON that came from outside. Refuses values that JSON.parse accepts and that harm later code: the key
 * `__proto__` in any escape, nesting that overflows the stack of code that walks it, texts without bound.
 * Never throws.
 */
export function strictParse(text: string, bounds: StrictParseBounds = {}): StrictParseResult {
  const { maxLength = longestJson, maxDepth = 64 } = bounds;
  if (text.length > maxLength)
    return { ok: false, message: `The JSON is longer than ${maxLength} characters.` };
  if (nestingOf(text) > maxDepth)
    return { ok: false, message: `The JSON is nested deeper than ${maxDepth} levels.` };
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return {
      ok: false,
      message: `Not valid JSON: ${error instanceof Error ? error.message : 'syntax error'}`,
    };
  }
  // JSON.parse makes "__proto__" an own key, but the next Object.assign or merge turns it into a prototype.
  if (hasProtoKey(value)) return { ok: false, message: 'The key "__proto__" is not allowed.' };
  return { ok: true, value };
}

/** Deepest nesting of brackets outside strings; counted on the text, so that no parser has to survive it first. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === 92 /* \ */) i++;
      else if (code === 34 /* " */) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 123 /* { */ || code === 91 /* [ */) deepest = Math.max(deepest, ++depth);
    else if (code === 125 /* } */ || code === 93 /* ] */) depth--;
  }
  return deepest;
}

function hasProtoKey(value: JsonValue): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasProtoKey);
  return Object.entries(value as Record<string, JsonValue>).some(
    ([key, inner]) => key === '__proto__' || hasProtoKey(inner),
  );
}
