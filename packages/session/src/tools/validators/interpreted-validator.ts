import { Validator, type Schema } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';
import { describeIssue, pointerPath, uniqueIssues } from './describe-issue.js';

/** Interprets schemas: works under a Content-Security-Policy that forbids code generation, and is a small download. */
export function createInterpretedValidator(): SchemaValidator {
  return {
    compile({ $schema: _dialect, ...given }) {
      const schema = prepared(given) as JsonObject;
      checkReferences(schema, schema);
      const validator = new Validator(schema as Schema, '2020-12', false);
      return (value) =>
        uniqueIssues(
          validator.validate(value).errors.flatMap(({ keyword, keywordLocation, instanceLocation }) => {
            // Said again, with its own place, for each unwanted property.
            if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return [];
            const path = pointerPath(instanceLocation);
            return describeIssue({
              // An unwanted property is found by the schema `false` that stands for it.
              keyword: keyword === 'false' ? 'additionalProperties' : keyword,
              expected: expectedAt(schema, pointerPath(keywordLocation)),
              path,
              actual: valueAt(value, path),
            });
          }),
        );
    },
  };
}

/** Keywords whose values map names to schemas: a property may well be called `format`. */
const maps: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose values are data. */
const data: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/** Maps every schema in a schema, not the data in it. */
function mapSchemas(schema: JsonValue, map: (schema: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(schema)) return schema.map((inner) => mapSchemas(inner as JsonValue, map));
  if (!isJsonObject(schema)) return schema;
  const inner = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    if (data.has(keyword)) return [keyword, value];
    if (!maps.has(keyword) || !isJsonObject(value)) return [keyword, mapSchemas(value, map)];
    return [
      keyword,
      Object.fromEntries(Object.entries(value).map(([name, one]) => [name, mapSchemas(one, map)])),
    ];
  });
  return map(Object.fromEntries(inner));
}

/** The schema without `format`, which this validator would check although JSON Schema has it as an annotation. */
function prepared(schema: JsonObject): JsonValue {
  return mapSchemas(schema, ({ format: _format, ...rest }) => rest);
}

/** The validator resolves references when it meets them; one that leads nowhere must not wait for a tool call. */
function checkReferences(root: JsonObject, schema: JsonObject): void {
  mapSchemas(schema, (inner) => {
    const { $ref } = inner;
    if (typeof $ref === 'string' && $ref.startsWith('#/') && valueAt(root, pointerPath($ref)) === undefined) {
      throw new Error(`can't resolve reference ${$ref}`);
    }
    return inner;
  });
}

/** The value of the keyword at a location; locations lead through references. */
function expectedAt(root: JsonObject, location: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = root;
  for (const key of location) {
    if (!isJsonObject(current) && !Array.isArray(current)) return undefined;
    const value: JsonValue | undefined = childOf(current, key);
    current = key === '$ref' && typeof value === 'string' ? valueAt(root, pointerPath(value)) : value;
  }
  return current;
}

/** The value at the end of a path; undefined when the path leaves the value. */
function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of path) {
    if (!isJsonObject(current) && !Array.isArray(current)) return undefined;
    current = childOf(current, key);
  }
  return current;
}

function childOf(parent: JsonObject | readonly JsonValue[], key: string): JsonValue | undefined {
  return Object.hasOwn(parent, key) ? (parent as JsonObject)[key] : undefined;
}
