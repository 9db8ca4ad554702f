/** Any value that JSON can hold. State, operations and saved conversations consist only of such values. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;

/** A JSON array. It is an interface, because recursive mapped types (Vue's `ref`) expand an alias endlessly. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- TypeScript would expand an alias without end
export interface JsonArray extends ReadonlyArray<JsonValue> {}

/** A JSON object: string keys, JSON values. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Returns true for plain objects as `JSON.parse` creates them: not for arrays and class instances. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Freezes a JSON value at every depth and returns it. It assumes that a frozen object is frozen at every depth, so that a list of frozen
 * items needs only one check per item.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // These loops are three times as fast as a list of the values, and take most of the time of an operation with a result.
  if (Array.isArray(value)) for (const inner of value as readonly unknown[]) deepFreeze(inner);
  else for (const key in value) if (typeof value[key] === 'object') deepFreeze(value[key]);
  return value;
}

/** Returns JSON text with sorted keys: equal values give equal text, in whatever order their keys were written. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
