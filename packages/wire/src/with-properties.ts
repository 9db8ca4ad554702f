import type { JsonObject } from '@banister/provider';

/**
 * Returns the schema of a tool with the field `properties`. Without this field some APIs refuse the whole
 * request.
 */
export function withProperties(schema: JsonObject): JsonObject {
  const { type = 'object', properties } = schema;
  const isPlain = Object.keys(schema).every((key) => key !== '$ref' && !key.endsWith('Of'));
  return type === 'object' && properties === undefined && isPlain
    ? { ...schema, type, properties: {} }
    : schema;
}
