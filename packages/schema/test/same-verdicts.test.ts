// The limits on checks change no verdict: both validators say what their libraries say alone.
import { Validator, type Schema } from '@cfworker/json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '@banister/provider';
import { propertyRun } from '../../../test/kit/property-run.js';
import { createCompiledValidator } from '../src/compiled-validator.js';
import { createInterpretedValidator } from '../src/interpreted-validator.js';
import * as linearPattern from '../src/linear-pattern.js';

const names = fc.constantFrom('a', 'b', 'ab', 'c');
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, 0, -0, 1, 2.5, '', 'a', 'ab', '1'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const small = fc.nat({ max: 3 });
const types = ['null', 'boolean', 'number', 'integer', 'string', 'array', 'object'];
const { schema } = fc.letrec<{ schema: JsonObject; keyword: JsonObject }>((tie) => {
  const inner = tie('schema');
  const list = fc.array(inner, { minLength: 1, maxLength: 3 });
  const map = fc.dictionary(names, inner, { minKeys: 1, maxKeys: 3, noNullPrototype: true });
  const mapOfPatterns = fc.dictionary(fc.constantFrom('^a', '(a|b)+$', 'b'), inner, {
    maxKeys: 2,
    noNullPrototype: true,
  });
  const of = (keyword: string, arbitrary: fc.Arbitrary<unknown>) =>
    arbitrary.map((one) => ({ [keyword]: one }) as JsonObject);
  return {
    schema: fc.array(tie('keyword'), { maxLength: 2 }).map((all) => Object.assign({}, ...all) as JsonObject),
    keyword: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.oneof(
        of('type', fc.constantFrom(...types)),
        of('enum', fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: JSON.stringify })),
        of('const', value),
        of('uniqueItems', fc.boolean()),
        of('minItems', small),
        of('maxItems', small),
        of('minLength', small),
        of('maximum', small),
        of('required', fc.uniqueArray(names, { maxLength: 2 })),
        of('maxProperties', small),
        of('pattern', fc.constantFrom('^a', '(a|b)+$', 'b')),
        of('$ref', fc.constantFrom('#/$defs/a', '#/$defs/b')),
      ),
      fc.oneof(
        ...['additionalProperties', 'propertyNames', 'items', 'contains', 'not', 'if', 'then', 'else'].map(
          (keyword) => of(keyword, inner),
        ),
        ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((keyword) => of(keyword, list)),
        ...['properties', 'dependentSchemas'].map((keyword) => of(keyword, map)),
        of('patternProperties', mapOfPatterns),
      ),
    ),
  };
});

/** The definitions have no references, so that no reference is endless. */
const leaf = fc.constantFrom<JsonObject>(
  { uniqueItems: true },
  { type: 'string' },
  { uniqueItems: true, items: { uniqueItems: true } },
  { maxItems: 1 },
);
const root = fc.tuple(schema, leaf, leaf).map(([one, a, b]): JsonObject => ({ ...one, $defs: { a, b } }));

const options = {
  ownProperties: true,
  allErrors: true,
  strict: false,
  validateFormats: false,
  logger: false,
} as const;

/** The code that ajv writes for some nested alternatives throws; then the value is refused. */
function verdictOf(plain: (value: JsonValue) => unknown, one: JsonValue): boolean {
  try {
    return plain(one) === true;
  } catch {
    return false;
  }
}

it('audit-X4 the compiled check gives the same verdict as ajv for each value', () =>
  fc.assert(
    fc.asyncProperty(root, fc.array(value, { minLength: 1, maxLength: 5 }), async (given, values) => {
      const check = await createCompiledValidator(() => linearPattern).compile(given);
      const plain = new Ajv2020(options).compile(given);
      for (const one of values) expect([one, check(one).length === 0]).toEqual([one, verdictOf(plain, one)]);
    }),
    propertyRun('audit-X4 the compiled check gives the same verdict as ajv for each value', 2_000),
  ));

it('audit-X4 the interpreted check gives the same verdict as its library for each value', () =>
  fc.assert(
    fc.asyncProperty(root, fc.array(value, { minLength: 1, maxLength: 5 }), async (given, values) => {
      const check = await createInterpretedValidator(() => linearPattern).compile(given);
      const plain = new Validator(structuredClone(given) as Schema, '2020-12', false);
      for (const one of values)
        expect([one, check(one).length === 0]).toEqual([one, plain.validate(one).valid]);
    }),
    propertyRun('audit-X4 the interpreted check gives the same verdict as its library for each value', 2_000),
  ));
