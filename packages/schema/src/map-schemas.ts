import type { JsonObject, JsonValue } from '@banister/provider';
import { isObject } from './is-object.js';

/** Keywords whose values map names to schemas. The names are not keywords: a property may be called `format`. */
const maps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
/** Keywords whose values are data. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

export const isData = (keyword: string): boolean => data.has(keyword);

/** Returns the schemas directly inside a schema. */
export function innerSchemas(schema: JsonObject): readonly JsonValue[] {
  return Object.entries(schema).flatMap(([keyword, value]): readonly JsonValue[] => {
    if (isData(keyword) || typeof value !== 'object' || value === null) return [];
    return Array.isArray(value) || maps.has(keyword) ? Object.values(value) : [value];
  });
}

/**
 * Maps every schema inside a schema, inner schemas first. Data, such as the values of `enum`, stays as it is.
 *
 * @param path the keys that lead to the schema, for messages
 */
export function mapSchemas(
  schema: JsonValue,
  map: (schema: JsonObject, path: readonly string[]) => JsonObject,
  path: readonly string[] = [],
): JsonValue {
  if (Array.isArray(schema)) {
    return schema.map((inner, index) => mapSchemas(inner as JsonValue, map, [...path, String(index)]));
  }
  if (!isObject(schema)) return schema;
  const inner = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    const place = [...path, keyword];
    if (isData(keyword)) return [keyword, value];
    if (!maps.has(keyword) || !isObject(value)) return [keyword, mapSchemas(value, map, place)];
    return [
      keyword,
      Object.fromEntries(
        Object.entries(value).map(([name, one]) => [name, mapSchemas(one, map, [...place, name])]),
      ),
    ];
  });
  return map(Object.fromEntries(inner), path);
}
