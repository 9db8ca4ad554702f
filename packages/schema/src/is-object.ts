import type { JsonObject, JsonValue } from '@banister/provider';

/**
 * Returns true if a JSON value is an object. Unlike `isJsonObject`, it is not meant for values of unknown origin. The validators have this
 * function of their own so that they share no module with the first chunk of a page, because a shared module would split that chunk.
 */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
