import type { JsonObject, JsonValue } from '../../json/json.js';

/**
 * Whether a JSON value is an object. Unlike `isJsonObject` not for values of unknown origin: with a function of their own the validators
 * share no module with the first chunk of a page, which would be split for it.
 */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
