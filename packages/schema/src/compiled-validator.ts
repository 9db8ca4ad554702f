import type { JsonValue } from '@banister/provider';
import type { ErrorObject, RegExpEngine } from 'ajv/dist/types/index.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SchemaValidator, ValidationIssue } from './schema-validator.js';
import { boundedCheck, type Twins } from './bounded-check.js';
import { describeIssue, firstIssues, pointerPath } from './describe-issue.js';
import type { LoadMatcher } from './load-matcher.js';
import { schemaPatterns, type SchemaPatterns } from './schema-patterns.js';

/** The options of each instance. `format` is not checked, because it is an annotation in JSON Schema. */
const options = {
  ownProperties: true,
  allErrors: true,
  strict: false,
  validateFormats: false,
  verbose: true,
  logger: false,
} as const;

/**
 * Checks schemas themselves. There is one instance for all, because compiling the meta-schema takes longer than compiling all tools of an
 * app.
 */
let dialect: Ajv2020 | undefined;

/**
 * Creates a validator that compiles schemas to code. It is the faster validator, but needs a Content-Security-Policy that allows code
 * generation.
 */
export function createCompiledValidator(loadMatcher: LoadMatcher): SchemaValidator {
  return {
    async compile({ $schema: _dialect, ...schema }) {
      const patterns = await schemaPatterns(schema, loadMatcher);
      return boundedCheck(schema, patterns, () => {
        dialect ??= new Ajv2020(options);
        void dialect.validateSchema(schema, true);
        let twins: Twins;
        // One instance for each schema, because two tools may use the same $id.
        const validator = new Ajv2020({
          ...options,
          validateSchema: false,
          // If a large schema were inlined at each reference to it, the code could be a thousand times longer than the schemas.
          inlineRefs: 20,
          code: { regExp: engineOf(patterns), process: withoutCopies },
        })
          .removeKeyword('uniqueItems')
          .addKeyword({
            keyword: 'uniqueItems',
            type: 'array',
            schemaType: 'boolean',
            errors: false,
            validate: (expected: boolean, list: readonly unknown[]) => !expected || !twins.has(list),
          });
        const check = validator.compile(schema);
        return (value, found) => {
          twins = found;
          return check(value) ? [] : firstIssues(check.errors ?? [], issuesOf);
        };
      });
    },
  };
}

/** For each reference that adds errors, ajv copies all earlier errors, which takes time proportional to their square. */
function withoutCopies(code: string): string {
  return code.replace(
    /vErrors\.concat\(([\w.]+\.errors)\)/g,
    '($1.forEach((one) => vErrors.push(one)), vErrors)',
  );
}

function issuesOf(error: ErrorObject): readonly ValidationIssue[] {
  const extra = error.params as { additionalProperty?: string; unevaluatedProperty?: string };
  const property = extra.additionalProperty ?? extra.unevaluatedProperty;
  const path = pointerPath(error.instancePath);
  return describeIssue({
    keyword: error.keyword,
    expected: error.schema,
    path: property === undefined ? path : [...path, property],
    actual: error.data as JsonValue | undefined,
  });
}

/** The matcher of a schema's patterns for ajv, which distinguishes matchers by their `toString()`. */
function engineOf(patterns: SchemaPatterns): RegExpEngine {
  const engine = (pattern: string, flags: string) => {
    const test = patterns.linear(pattern);
    return test ? { test, toString: () => `linear ${pattern}` } : new RegExp(pattern, flags);
  };
  // ajv writes `code` into code that is stored in files. Here no code is stored.
  return Object.assign(engine, { code: 'linearPattern' });
}
