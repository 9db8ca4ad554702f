import { Validator, type Schema } from '@cfworker/json-schema';
import { isJsonObject, type JsonObject, type JsonValue } from '../../json/json.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';
import { describeIssue, pointerPath, uniqueIssues } from './describe-issue.js';

/** Interprets schemas: works under a Content-Security-Policy that forbids code generation, and is a small download. */
export function createInterpretedValidator(): SchemaValidator {
  return {
    compile({ $schema: _dialect, ...given }) {
      const schema = withoutFormats(given) as JsonObject;
      const validator = new Validator(schema as Schema, '2020-12', false);
      // References are resolved when they are met; a schema that refers to nothing must not wait for a tool call.
      validator.validate({});
      return (value) =>
        uniqueIssues(
          validator.validate(value).errors.flatMap(({ keyword, keywordLocation, instanceLocation }) => {
            const path = pointerPath(instanceLocation);
            const location = pointerPath(keywordLocation);
            // An unwanted property is found by the schema `false` that stands for it.
            const unwanted = keyword === 'false';
            return describeIssue({
              keyword: unwanted ? (location.at(-1) ?? keyword) : keyword,
              expected: valueAt(schema, location),
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

/** The schema without `format`, which this validator would check although JSON Schema has it as an annotation. */
function withoutFormats(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutFormats);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([keyword]) => keyword !== 'format')
      .map(([keyword, value]) => {
        if (data.has(keyword)) return [keyword, value];
        if (!maps.has(keyword) || !isJsonObject(value)) return [keyword, withoutFormats(value)];
        return [
          keyword,
          Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutFormats(inner)])),
        ];
      }),
  );
}

/** The value at the end of a path; undefined when the path leaves the value, as it does behind a `$ref`. */
function valueAt(value: JsonValue, path: readonly string[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const key of path) {
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string, JsonValue>)[key];
  }
  return current;
}
