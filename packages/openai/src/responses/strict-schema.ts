import { isJsonObject, type JsonObject, type JsonValue } from '@banister/provider';

/** Keywords that the API's strict mode is known to accept. */
const accepted = new Set([
  'type',
  'title',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
]);

/** Deepest nesting that strict mode accepts. */
const DEEPEST = 5;

/**
 * Returns true for a schema that strict mode accepts: every object is closed, every property is required, and
 * only known keywords occur. If in doubt it returns false, because a single keyword that strict mode does not
 * accept makes the API refuse the whole request.
 */
export function isStrictSchema(schema: JsonObject): boolean {
  return schema['type'] === 'object' && !('anyOf' in schema) && isStrict(schema, 1);
}

function isStrict(schema: JsonValue | undefined, depth: number): boolean {
  if (!isJsonObject(schema) || depth > DEEPEST) return false;
  if (!Object.keys(schema).every((keyword) => accepted.has(keyword))) return false;
  const { anyOf } = schema;
  if (anyOf !== undefined) {
    return Array.isArray(anyOf) && anyOf.every((one: JsonValue) => isStrict(one, depth + 1));
  }
  // `type` may be a list: `["string", "null"]`.
  const types = Array.isArray(schema['type']) ? (schema['type'] as readonly JsonValue[]) : [schema['type']];
  if (types.includes('array')) return isStrict(schema['items'], depth + 1);
  if (types.includes('object')) return isClosed(schema, depth);
  return types.every((type) => typeof type === 'string');
}

function isClosed(schema: JsonObject, depth: number): boolean {
  const { properties, required, additionalProperties } = schema;
  if (additionalProperties !== false || !isJsonObject(properties)) return false;
  const names = Object.keys(properties);
  return (
    Array.isArray(required) &&
    names.length === required.length &&
    names.every((name) => required.includes(name) && isStrict(properties[name], depth + 1))
  );
}
