import type { JsonValue } from './json.js';

/** Longest JSON that is read from a model, in UTF-16 code units. */
export const longestJson = 1_048_576;

/** Bounds for text that a model wrote. The defaults are far above real tool calls, and far below sizes that stall a page. */
export interface StrictParseBounds {
  /** Longest accepted text, in UTF-16 code units. Default 1,048,576. */
  readonly maxLength?: number;
  /** Deepest accepted nesting of objects and arrays. Default 64. */
  readonly maxDepth?: number;
}

/** The parsed value, or the reason why the text was refused, as a sentence. */
export type StrictParseResult =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string };

/**
 * Parses JSON of unknown origin. Refuses values that JSON.parse accepts and that harm later code: the key `__proto__`,
 * however it is escaped, numbers that are read as Infinity, nesting that overflows the stack of recursive code, and texts above the
 * bound. Never throws.
 *
 * @example
 * const parsed = strictParse('{"title": "Plan"}');
 * console.log(parsed.ok && parsed.value); // { title: 'Plan' }
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
  const message = faultIn(value);
  return message === undefined ? { ok: true, value } : { ok: false, message };
}

/** Deepest nesting of brackets outside strings; counted in the text, before the nesting could overflow the stack of a parser. */
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

function faultIn(value: JsonValue): string | undefined {
  // JSON.parse reads 1e999 as Infinity, which JSON cannot hold.
  if (value === Infinity || value === -Infinity) return 'A number is too large.';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    // JSON.parse makes "__proto__" an own key, but the next Object.assign or merge turns it into a prototype.
    const fault = key === '__proto__' ? 'The key "__proto__" is not allowed.' : faultIn(inner);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
