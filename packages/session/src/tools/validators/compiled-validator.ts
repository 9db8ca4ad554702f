import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonValue } from '../../json/json.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';
import { describeIssue, pointerPath, uniqueIssues } from './describe-issue.js';

/** Compiles schemas to code. The fastest, where the page's Content-Security-Policy allows code generation. */
export function createCompiledValidator(): SchemaValidator {
  return {
    compile({ $schema: _dialect, ...schema }) {
      // One instance a schema: two tools may use the same $id. `format` is an annotation, as JSON Schema has it.
      const ajv = new Ajv2020({
        ownProperties: true,
        allErrors: true,
        strict: false,
        validateFormats: false,
        verbose: true,
        logger: false,
      });
      const check = ajv.compile(schema);
      return (value) => {
        if (check(value)) return [];
        return uniqueIssues(
          (check.errors ?? []).flatMap((error) => {
            const extra = error.params as { additionalProperty?: string; unevaluatedProperty?: string };
            const property = extra.additionalProperty ?? extra.unevaluatedProperty;
            const path = pointerPath(error.instancePath);
            return describeIssue({
              keyword: error.keyword,
              expected: error.schema,
              path: property === undefined ? path : [...path, property],
              actual: error.data as JsonValue | undefined,
            });
          }),
        );
      };
    },
  };
}
