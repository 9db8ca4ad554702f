import type { RegExpEngine } from 'ajv/dist/types/index.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonValue } from '../../json/json.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';
import { describeIssue, pointerPath, uniqueIssues } from './describe-issue.js';
import { schemaPatterns, type SchemaPatterns } from './schema-patterns.js';

/** `format` is an annotation, as JSON Schema has it. */
const options = {
  ownProperties: true,
  allErrors: true,
  strict: false,
  validateFormats: false,
  verbose: true,
  logger: false,
} as const;

/** Knows what a schema may look like. To compile that takes longer than all tools of an app: once is enough. */
let dialect: Ajv2020 | undefined;

/** Compiles schemas to code. The fastest, where the page's Content-Security-Policy allows code generation. */
export function createCompiledValidator(): SchemaValidator {
  return {
    async compile({ $schema: _dialect, ...schema }) {
      const patterns = await schemaPatterns(schema);
      dialect ??= new Ajv2020(options);
      void dialect.validateSchema(schema, true);
      // One instance a schema: two tools may use the same $id.
      const check = new Ajv2020({
        ...options,
        validateSchema: false,
        code: { regExp: engineOf(patterns) },
      }).compile(schema);
      return patterns.bounded((value) => {
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
      });
    },
  };
}

/** Matches a schema's patterns for ajv, which tells one from another by how it is written. */
function engineOf(patterns: SchemaPatterns): RegExpEngine {
  const engine = (pattern: string, flags: string) => {
    const test = patterns.linear(pattern);
    return test ? { test, toString: () => `linear ${pattern}` } : new RegExp(pattern, flags);
  };
  // Would be written into code that is kept in a file; none is.
  return Object.assign(engine, { code: 'linearPattern' });
}
