import { isJsonObject, type JsonObject, type JsonValue } from '@banister/session';
import type { FieldSchema, ReadSchema } from './read-schema.js';

/** Deepest nesting of values that are made; a schema that requires itself has no end. */
const deepest = 8;

/** Returns the value with which a field begins: its default, what its schema fixes, the parts that it requires. undefined for others. */
export function freshValue(read: ReadSchema, schema: FieldSchema, depth = 0): JsonValue | undefined {
  const { type, keywords, choices, branches } = schema;
  if (keywords['default'] !== undefined) return keywords['default'];
  if (depth > deepest) return undefined;
  if (type === 'fixed') return choices[0]?.value;
  if (type === 'array') return [];
  if (type === 'object') return freshObject(read, keywords, depth);
  if (type === 'alternatives') {
    // Only objects: a text that is empty would be no choice of the user.
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

/** Returns the value with which an item begins: a text is empty, a checkbox is not ticked; undefined where the user has to choose one. */
export function freshItem(read: ReadSchema, schema: FieldSchema): JsonValue | undefined {
  const empty = schema.type === 'string' ? '' : schema.type === 'boolean' ? false : undefined;
  return freshValue(read, schema) ?? empty;
}
