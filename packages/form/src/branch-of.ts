import type { JsonObject, JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import type { FieldSchema, ReadSchema } from './read-schema.js';
import { sameValue } from './same-value.js';

/** Returns the index of the alternative that describes a value best; -1 if no alternative describes it. */
export function branchOf(
  read: ReadSchema,
  branches: readonly JsonObject[],
  value: JsonValue | undefined,
): number {
  if (value === undefined) return -1;
  let best = -1;
  let most = 0;
  branches.forEach((branch, index) => {
    const fit = fitOf(read, read(branch), value);
    if (fit > most) [best, most] = [index, fit];
  });
  return best;
}

/** Returns how well a schema describes a value: 0 if it does not, and more for each part that it describes. */
export function fitOf(read: ReadSchema, schema: FieldSchema, value: JsonValue, depth = 0): number {
  const { type, keywords, choices, nullable, branches } = schema;
  if (value === null && nullable) return 1;
  switch (type) {
    case 'fixed':
    case 'choice':
      return choices.some((choice) => sameValue(choice.value, value)) ? 3 : 0;
    case 'any':
      return 0.5;
    case 'alternatives':
      if (depth > 3) return 0.5;
      return Math.max(...branches.map((branch) => fitOf(read, read(branch), value, depth + 1)));
    case 'array':
      return Array.isArray(value) ? fitOfItems(read, keywords['items'], value, depth) : 0;
    case 'object':
      return isJsonObject(value) ? fitOfObject(read, keywords, value, depth) : 0;
    case 'number':
      return typeof value === 'number' && (keywords['type'] !== 'integer' || Number.isInteger(value)) ? 1 : 0;
    default:
      return typeof value === type ? 1 : 0;
  }
}

function fitOfItems(
  read: ReadSchema,
  items: JsonValue | undefined,
  value: readonly JsonValue[],
  depth: number,
): number {
  if (!isJsonObject(items) || value.length === 0 || depth > 3) return 1;
  return fitOf(read, read(items), value[0]!, depth + 1) > 0 ? 2 : 0;
}

function fitOfObject(read: ReadSchema, keywords: JsonObject, value: JsonObject, depth: number): number {
  const { properties, required } = keywords;
  if (!isJsonObject(properties)) return 1;
  const lacks = Array.isArray(required) && required.some((name) => !Object.hasOwn(value, String(name)));
  let fit = lacks ? 0.1 : 1;
  for (const [name, part] of Object.entries(value)) {
    if (!Object.hasOwn(properties, name)) {
      if (keywords['additionalProperties'] === false) fit *= 0.5;
      continue;
    }
    const schema = read(properties[name]);
    if (depth > 3) continue;
    const one = fitOf(read, schema, part, depth + 1);
    // A different constant: the value belongs to another alternative.
    if (one === 0 && schema.type === 'fixed') return 0;
    fit += one === 0 ? -0.2 : one;
  }
  return Math.max(fit, 0.05);
}
