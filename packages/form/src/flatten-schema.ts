import type { JsonObject, JsonValue } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { sameValue } from './same-value.js';

/** The maximal number of parts that a form merges. Definitions that refer to each other twice double the number at each step. */
const mostParts = 20_000;

/** If two schemas have these keywords, the larger value counts; for `smallest` the smaller value. */
const largest = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];
const smallest = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];

/**
 * Returns a function that merges the target of `$ref` and the parts of `allOf` into a schema. It tolerates parts that contradict each
 * other: the result is only for drawing fields; values are checked with the original schema.
 */
export function flattener(root: JsonObject): (schema: JsonObject) => JsonObject {
  let parts = 0;
  const flatten = (schema: JsonObject, seen: readonly string[]): JsonObject => {
    if (++parts > mostParts) return {};
    const { $ref, allOf, ...own } = schema;
    let result: JsonObject = own;
    if (typeof $ref === 'string' && !seen.includes($ref)) {
      const target = targetOf(root, $ref);
      if (target) result = merged(result, flatten(target, [...seen, $ref]));
    }
    for (const part of Array.isArray(allOf) ? allOf : [])
      if (isJsonObject(part)) result = merged(result, flatten(part, seen));
    return result;
  };
  return (schema) => flatten(schema, []);
}

/** Returns the schema that a reference inside the document names; undefined for other references. */
function targetOf(root: JsonObject, reference: string): JsonObject | undefined {
  if (!/^#(\/|$)/.test(reference)) return undefined;
  let target: JsonValue | undefined = root;
  for (const key of reference.split('/').slice(1)) {
    const name = decoded(key).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, name)) return undefined;
    target = (target as JsonObject)[name];
  }
  return isJsonObject(target) ? target : undefined;
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Merges two schemas. For annotations, and for keywords that cannot be merged, the first schema counts. */
function merged(first: JsonObject, second: JsonObject): JsonObject {
  const result: Record<string, JsonValue> = { ...second, ...first };
  for (const [keyword, other] of Object.entries(second)) {
    const one = Object.hasOwn(first, keyword) ? first[keyword] : undefined;
    if (one === undefined || one === other) continue;
    if (largest.includes(keyword)) result[keyword] = Math.max(Number(one), Number(other));
    else if (smallest.includes(keyword)) result[keyword] = Math.min(Number(one), Number(other));
    else if (keyword === 'type') result[keyword] = commonTypes(one, other);
    else if (Array.isArray(one) && Array.isArray(other)) {
      if (keyword === 'required') result[keyword] = [...new Set([...one, ...other])];
      if (keyword === 'enum')
        result[keyword] = one.filter((value) => other.some((same) => sameValue(value, same)));
    } else if (keyword === 'properties' && isJsonObject(one) && isJsonObject(other))
      result[keyword] = mergedProperties(one, other);
  }
  return result;
}

function mergedProperties(first: JsonObject, second: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(first), ...Object.keys(second)])];
  return Object.fromEntries(
    names.map((name) => {
      const found = [first, second].flatMap((from) => (Object.hasOwn(from, name) ? [from[name]!] : []));
      return [name, found.length === 1 ? found[0]! : { allOf: found }];
    }),
  );
}

function commonTypes(first: JsonValue, second: JsonValue): JsonValue {
  const [ones, others] = [first, second].map((type) => (Array.isArray(type) ? type : [type]));
  const common = [
    ...ones!.filter((type) => others!.includes(type) || (type === 'integer' && others!.includes('number'))),
    ...others!.filter((type) => type === 'integer' && !ones!.includes(type) && ones!.includes('number')),
  ];
  return common.length === 1 ? common[0]! : common;
}
