import type { JsonObject, JsonValue } from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';

/**
 * Returns the part of a value that does not contradict the types in a JSON Schema; undefined if nothing is left. If nothing is left out,
 * returns the value itself. Only types are compared: an incomplete value fits, and so does a value below a `$ref` or an `allOf`.
 */
export function fittingPart(schema: JsonValue | undefined, value: JsonValue): JsonValue | undefined {
  if (!isJsonObject(schema)) return value;
  if (!hasType(schema['type'], value)) return undefined;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  const part = Array.isArray(alternatives) ? bestPart(alternatives, value) : value;
  if (Array.isArray(part)) return fittingItems(schema, part as readonly JsonValue[]);
  return isJsonObject(part) ? fittingFields(schema, part) : part;
}

/**
 * Returns the part that fits one of the alternatives: the whole value if it fits an alternative; otherwise the part that is left by the
 * first alternative that leaves one.
 */
function bestPart(alternatives: readonly JsonValue[], value: JsonValue): JsonValue | undefined {
  const parts = alternatives.map((one) => fittingPart(one, value));
  return parts.includes(value) ? value : parts.find((part) => part !== undefined);
}

function fittingItems(schema: JsonObject, value: readonly JsonValue[]): JsonValue {
  const first = Array.isArray(schema['prefixItems']) ? (schema['prefixItems'] as readonly JsonValue[]) : [];
  const parts = value.map((item, index) => fittingPart(first[index] ?? schema['items'], item));
  if (parts.every((part, index) => part === value[index])) return value;
  return parts.filter((part) => part !== undefined);
}

function fittingFields(schema: JsonObject, value: JsonObject): JsonObject {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const others = 'patternProperties' in schema ? undefined : schema['additionalProperties'];
  let isWhole = true;
  const fields = Object.entries(value).flatMap(([name, field]): [string, JsonValue][] => {
    const part = fittingPart(Object.hasOwn(properties, name) ? properties[name] : others, field);
    if (part !== field) isWhole = false;
    return part === undefined ? [] : [[name, part]];
  });
  return isWhole ? value : Object.fromEntries(fields);
}

function hasType(type: JsonValue | undefined, value: JsonValue): boolean {
  if (Array.isArray(type)) return type.some((one: JsonValue) => hasType(one, value));
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      return true;
  }
}
