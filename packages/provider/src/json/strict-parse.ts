import type { JsonValue } from './json.js';

/** The longest JSON that is read from a model, in UTF-16 code units. */
export const longestJson = 1_048_576;

/** Limits for text that a model wrote. The defaults are far above real tool calls, and far below sizes that block a page. */
interface StrictParseBounds {
  /** The longest accepted text, in UTF-16 code units. Default 1,048,576. */
  readonly maxLength?: number;
  /** The deepest accepted nesting of objects and arrays. Default 64. */
  readonly maxDepth?: number;
}

/** The parsed value, or why the text was refused, as a sentence. */
export type StrictParseResult =
  { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly message: string };

/**
 * Parses JSON of unknown origin. Refuses values that `JSON.parse` accepts and that harm later code: the key `__proto__`, however it is
 * escaped; numbers that are read as Infinity; nesting that would overflow the stack of recursive code; and texts above the limit. Never
 * throws.
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
    // The piece of the text that an engine quotes is removed, because a filter of requests could not recognise half of a secret.
    const fault = (error as SyntaxError).message.replace(/(^|[ .])".*"/s, '$1the text');
    return { ok: false, message: `Not valid JSON: ${fault}` };
  }
  return isSafe(value)
    ? { ok: true, value }
    : { ok: false, message: 'The key "__proto__" is not allowed, nor 1e999.' };
}

/**
 * Returns the deepest nesting of brackets outside strings. It counts in the text, before the nesting could overflow the stack of a parser.
 */
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

/**
 * Returns true if a value has neither a key `__proto__` nor Infinity. `JSON.parse` creates `__proto__` as an own key, which a later
 * `Object.assign` or merge would use as the prototype. It reads 1e999 as Infinity.
 */
function isSafe(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key !== '__proto__' && isSafe(inner));
}
