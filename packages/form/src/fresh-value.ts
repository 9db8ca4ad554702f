import type { JsonObject, JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { FieldSchema, ReadSchema } from './read-schema.js';

/** The maximal depth of new values: a schema that requires itself would never end. */
const deepest = 8;

/** Returns the initial value of a field: its default, its fixed value, or what its schema requires. Otherwise undefined. */
export function freshValue(read: ReadSchema, schema: FieldSchema, depth = 0): JsonValue | undefined {
  const { type, keywords, choices, branches } = schema;
  if (keywords['default'] !== undefined) return keywords['default'];
  if (depth > deepest) return undefined;
  if (type === 'fixed') return choices[0]?.value;
  if (type === 'array') return [];
  if (type === 'object') return freshObject(read, keywords, depth);
  if (type === 'alternatives') {
    // Only if all values are objects: an empty value of another type would look like the user's choice.
    const values = branches.map((branch) => freshValue(read, read(branch), depth + 1));
    return values.every(isJsonObject) ? values[0] : undefined;
  }
  return undefined;
}

function freshObject(read: ReadSchema, keywords: JsonObject, depth: number): JsonObject {
  const { properties, required } = keywords;
  if (!isJsonObject(properties) || !Array.isArray(required)) return {};
  const parts = Object.keys(properties).flatMap((name): [string, JsonValue][] => {
    const property = properties[name];
    const hasDefault = isJsonObject(property) && property['default'] !== undefined;
    if (name === '__proto__' || (!required.includes(name) && !hasDefault)) return [];
    const value = freshValue(read, read(property), depth + 1);
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(parts);
}

/** Returns the initial value of an item: an empty string, or false for a checkbox. undefined if the user has to choose a value. */
export function freshItem(read: ReadSchema, schema: FieldSchema): JsonValue | undefined {
  const empty = schema.type === 'string' ? '' : schema.type === 'boolean' ? false : undefined;
  return freshValue(read, schema) ?? empty;
}
