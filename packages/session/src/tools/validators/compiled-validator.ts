import type { RegExpEngine } from 'ajv/dist/types/index.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { JsonValue } from '../../json/json.js';
import type { SchemaValidator } from '../../ports/schema-validator.js';
import { describeIssue, pointerPath, uniqueIssues } from './describe-issue.js';
import type { LoadMatcher } from './pattern-matcher.js';
import { schemaPatterns, type SchemaPatterns } from './schema-patterns.js';

/** The options of each instance. `format` is not checked, since it is an annotation in JSON Schema. */
const options = {
  ownProperties: true,
  allErrors: true,
  strict: false,
  validateFormats: false,
  verbose: true,
  logger: false,
} as const;

/** Checks schemas themselves. One instance for all: to compile the meta-schema takes longer than all tools of an app. */
let dialect: Ajv2020 | undefined;

/** Creates a validator that compiles schemas to code: the faster one, where the Content-Security-Policy allows code generation. */
export function createCompiledValidator(loadMatcher: LoadMatcher): SchemaValidator {
  return {
    async compile({ $schema: _dialect, ...schema }) {
      const patterns = await schemaPatterns(schema, loadMatcher);
      dialect ??= new Ajv2020(options);
      void dialect.validateSchema(schema, true);
      // One instance for each schema, since two tools may use the same $id.
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

/** The matcher of a schema's patterns for ajv, which distinguishes matchers by their `toString()`. */
function engineOf(patterns: SchemaPatterns): RegExpEngine {
  const engine = (pattern: string, flags: string) => {
    const test = patterns.linear(pattern);
    return test ? { test, toString: () => `linear ${pattern}` } : new RegExp(pattern, flags);
  };
  // ajv writes `code` into code that is stored in files; none is stored here.
  return Object.assign(engine, { code: 'linearPattern' });
}
