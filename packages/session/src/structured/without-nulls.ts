import type { JsonObject, JsonValue } from '@banister/provider';
import { isJsonObject } from '@banister/provider/internal/json/json';
import { sameJson } from '@banister/provider/internal/json/same-json';

/** The longest chain of `$ref` that is followed for one value. */
const MOST_REFERENCES = 8;

/**
 * Returns a value without the optional properties that are null. Models write null for a property that they leave out, and some APIs force
 * them to, because their strict modes have no optional properties.
 */
export function withoutNulls(schema: JsonObject, value: JsonObject): JsonObject {
  return cleaned([schema], value, schema) as JsonObject;
}

/** @param schemas the schemas that describe the value */
function cleaned(schemas: readonly JsonValue[], value: JsonValue, root: JsonObject): JsonValue {
  if (!Array.isArray(value) && !isJsonObject(value)) return value;
  const all = schemas.flatMap((schema) => partsOf(schema, value, root, MOST_REFERENCES));
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    return items.map((item, index) =>
      cleaned(
        all.flatMap((one) => itemSchemas(one, index)),
        item,
        root,
      ),
    );
  }
  const entries = Object.entries(value).flatMap(([name, field]): (readonly [string, JsonValue])[] => {
    const described = all.flatMap(({ properties }) =>
      isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]!] : [],
    );
    const isRequired = all.some(({ required }) => Array.isArray(required) && required.includes(name));
    if (field === null && described.length > 0 && !isRequired) return [];
    const others = all.flatMap(({ additionalProperties }) => additionalProperties ?? []);
    return [[name, cleaned(described.length > 0 ? described : others, field, root)]];
  });
  return Object.fromEntries(entries);
}

function itemSchemas({ prefixItems, items }: JsonObject, index: number): readonly JsonValue[] {
  const first = Array.isArray(prefixItems) ? (prefixItems as readonly JsonValue[])[index] : undefined;
  const described = first ?? items;
  return described === undefined ? [] : [described];
}

/** Returns the object schemas that describe a value: the schema, the schemas to which it refers, and the alternatives that may fit. */
function partsOf(
  schema: JsonValue,
  value: JsonValue,
  root: JsonObject,
  references: number,
): readonly JsonObject[] {
  if (!isJsonObject(schema) || references < 0) return [];
  const { $ref, allOf, anyOf, oneOf } = schema;
  const inner = (one: JsonValue) => partsOf(one, value, root, references - 1);
  const alternatives = [anyOf, oneOf].flatMap((list) =>
    listOf(list).filter((one) => mayFit(one, value, root, references - 1)),
  );
  const target = typeof $ref === 'string' ? [targetOf($ref, root)] : [];
  return [schema, ...[...target, ...listOf(allOf), ...alternatives].flatMap(inner)];
}

/** Returns true if a value may fit a schema, judged by its type and by the constants among its properties. */
function mayFit(schema: JsonValue, value: JsonValue, root: JsonObject, references: number): boolean {
  return partsOf(schema, value, root, references).every(
    ({ type, const: constant, enum: values, ...rest }) => {
      if (constant !== undefined && !sameJson(constant, value)) return false;
      if (Array.isArray(values) && !values.some((one: JsonValue) => sameJson(one, value))) return false;
      if (type !== undefined && ![type].flat().some((one) => isOfType(value, one as JsonValue))) return false;
      if (!isJsonObject(value)) return true;
      const { properties, required } = rest;
      if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, String(name))))
        return false;
      return Object.entries(isJsonObject(properties) ? properties : {}).every(([name, property]) => {
        const { const: fixed, enum: allowed } = isJsonObject(property) ? property : {};
        if (!Object.hasOwn(value, name)) return true;
        const field = value[name]!;
        if (fixed !== undefined) return sameJson(fixed, field);
        return (
          field === null || !Array.isArray(allowed) || allowed.some((one: JsonValue) => sameJson(one, field))
        );
      });
    },
  );
}

function isOfType(value: JsonValue, type: JsonValue): boolean {
  return type === (Array.isArray(value) ? 'array' : 'object');
}

/**
 * Returns the schema to which a reference points inside its own document. For any other reference returns `true`, a schema that describes
 * nothing.
 */
function targetOf(reference: string, root: JsonObject): JsonValue {
  const [document, ...keys] = reference.split('/');
  if (document !== '#') return true;
  let at: JsonValue = root;
  for (const key of keys) {
    const name = decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonObject(at) && Object.hasOwn(at, name) ? at[name]! : true;
  }
  return at;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [];
}
