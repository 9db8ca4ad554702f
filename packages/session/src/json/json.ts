/** Any value that JSON can hold. State, operations and saved conversations consist of nothing else. */
export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;

/** A JSON array. An interface, since recursive mapped types (Vue's `ref`) expand an alias without end. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- TypeScript would expand an alias without end
export interface JsonArray extends ReadonlyArray<JsonValue> {}

/** A JSON object: string keys, JSON values. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** True for plain objects as JSON.parse makes them: no arrays, no class instances. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Freezes a JSON value at every depth and returns it. The function assumes that an object which is frozen already is
 * frozen at every depth, so that a list of frozen items costs one check for each item.
 */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  // Three times as fast as a list of the values, and most of the cost of an operation with a result.
  if (Array.isArray(value)) for (const inner of value as readonly unknown[]) deepFreeze(inner);
  else for (const key in value) deepFreeze(value[key]);
  return value;
}

/** JSON text with sorted keys: equal values give equal text, whatever order their keys were written in. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : inner,
  );
}
