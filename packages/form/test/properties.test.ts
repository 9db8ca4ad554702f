import { createCompiledValidator } from '@banister/schema/compiled';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadMatcher } from '../../session/src/tools/pattern-matcher.js';
import type { JsonObject, JsonValue } from '@banister/session';
import { createForm, type ArgumentForm, type FormField } from '@banister/form';
import { propertyRun } from '../../../test/kit/property-run.js';
import { childrenOf } from './opened.js';

// Schemas of every supported kind, each with values that fit it.

interface Typed {
  readonly schema: JsonObject;
  readonly value: JsonValue;
}

const name = fc.constantFrom(
  'title',
  'due_date',
  'a b',
  'x/y',
  '~',
  'constructor',
  'toString',
  '0',
  'ü',
  '_a',
  'id',
);
const plain = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', 'a\nb', 'a\r\nb', '\u2028', 'x'.repeat(90)),
);

const leaf: fc.Arbitrary<Typed> = fc.oneof(
  plain.map((value) => ({ schema: { type: 'string' }, value })),
  plain.map((value) => ({ schema: { type: ['string', 'null'] }, value })),
  fc.constant({ schema: { type: ['integer', 'null'] }, value: null }),
  fc.integer().map((value) => ({ schema: { type: 'integer' }, value })),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: { type: 'number' }, value })),
  fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
  fc.constantFrom('a', 'b').map((value) => ({ schema: { enum: ['a', 'b', 3, null] }, value })),
  fc
    .constantFrom('c1', 'c7')
    .map((value) => ({ schema: { enum: ['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'] }, value })),
  fc.constant({ schema: { const: 'fixed' }, value: 'fixed' }),
  fc
    .constantFrom('2026-12-01', '2024-02-29', 'tomorrow', '')
    .map((value) => ({ schema: { type: 'string', format: 'date' }, value })),
  fc
    .constantFrom(
      '2026-12-01T10:00:00Z',
      '2026-12-01T10:00+02:00',
      '2026-12-01T10:00:00.5',
      '2026-12-01t10:00:00z',
      'now',
    )
    .map((value) => ({ schema: { type: 'string', format: 'date-time' }, value })),
  fc
    .constantFrom('10:00', '10:00:00Z', '24:00', '23:59:60Z')
    .map((value) => ({ schema: { type: 'string', format: 'time' }, value })),
  fc
    .array(plain, { maxLength: 3 })
    .map((value) => ({ schema: { type: 'array', items: { type: 'string' } }, value })),
  fc.subarray(['x', 'y', 'z']).map((value) => ({
    schema: { type: 'array', items: { enum: ['x', 'y', 'z'] }, uniqueItems: true },
    value,
  })),
  fc.jsonValue({ maxDepth: 2 }).map((value) => ({ schema: {}, value: value as JsonValue })),
  fc
    .dictionary(name, fc.integer(), { maxKeys: 3 })
    .map((value) => ({ schema: { type: 'object', additionalProperties: { type: 'integer' } }, value })),
);

const typed = fc.letrec<{ node: Typed; object: Typed }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: leaf, weight: 4 },
    { arbitrary: tie('object'), weight: 1 },
    {
      arbitrary: tie('node').chain(({ schema, value }) =>
        fc
          .array(fc.constant(value), { maxLength: 3 })
          .map((items) => ({ schema: { type: 'array', items: schema }, value: items })),
      ),
      weight: 1,
    },
    {
      arbitrary: tie('object').map(({ schema, value }): Typed => ({
        schema: {
          oneOf: [
            {
              ...schema,
              properties: { ...(schema['properties'] as JsonObject), kind: { const: 'one' } },
              required: ['kind'],
            },
            {
              type: 'object',
              properties: { kind: { const: 'two' }, size: { type: 'number' } },
              required: ['kind', 'size'],
            },
          ],
        },
        value: { ...(value as JsonObject), kind: 'one' },
      })),
      weight: 1,
    },
  ),
  object: fc
    .uniqueArray(fc.tuple(name, tie('node'), fc.constantFrom('required', 'optional', 'absent', 'unknown')), {
      selector: ([key]) => key,
      maxLength: 5,
    })
    .map((parts): Typed => {
      const named = parts.filter(([, , presence]) => presence !== 'unknown');
      const given = parts.filter(([, , presence]) => presence !== 'absent');
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(named.map(([key, { schema }]) => [key, schema])),
          required: named.filter(([, , presence]) => presence === 'required').map(([key]) => key),
        },
        value: Object.fromEntries(given.map(([key, { value }]) => [key, value])),
      };
    }),
})).object as fc.Arbitrary<{ schema: JsonObject; value: JsonObject }>;

const validator = createCompiledValidator(loadMatcher);

async function open({ schema, value }: { schema: JsonObject; value: JsonObject }): Promise<ArgumentForm> {
  const validate = await validator.compile(schema);
  return createForm({ schema, value, check: validate });
}

/** Returns every field of a form, in drawing order. */
function allFields(fields: readonly FormField[]): readonly FormField[] {
  return fields.flatMap((field) => [field, ...allFields(childrenOf(field))]);
}

test('a form that is opened with arguments has exactly these arguments as its value', async () => {
  await fc.assert(
    fc.asyncProperty(typed, async (one) => {
      const form = await open(one);
      expect(form.value.value).toEqual(one.value);
      expect(form.changes.value).toEqual([]);
      expect(form.isValid.value).toBe(true);
      form.showJson(true);
      expect(form.value.value).toEqual(one.value);
      form.showJson(false);
      expect(await form.submit()).toEqual(one.value);
    }),
    propertyRun('opened forms keep their value', 300),
  );
});

interface Edit {
  readonly at: number;
  readonly act: number;
  readonly text: string;
  readonly isOn: boolean;
}

const edits: fc.Arbitrary<readonly Edit[]> = fc.array(
  fc.record({
    at: fc.nat(40),
    act: fc.nat(11),
    text: fc.oneof(
      plain,
      fc.constantFrom('1', '-2.5', '1e3', '{"a":1}', '[1', '__proto__', 'id', '0', '1', 'null', '2026-12-01'),
    ),
    isOn: fc.boolean(),
  }),
  { maxLength: 15 },
);

function act(form: ArgumentForm, { at, act: what, text, isOn }: Edit): void {
  const fields = allFields(form.fields.value);
  if (fields.length === 0) return;
  const field = fields[at % fields.length]!;
  if (what < 4) form.input(field, field.kind === 'checkbox' ? isOn : text);
  else if (what === 4 && field.kind === 'checks') form.toggle(field, text, isOn);
  else if (what === 5) form.leaveOut(field);
  else if (what === 6) form.setNull(field);
  else if (what === 7) form.give(field);
  else if (what === 8) form.add(field);
  else if (what === 9) {
    const putBack = form.remove(field);
    if (isOn) putBack();
  } else if (what === 10) form.move(field, isOn ? 1 : -1);
  else if (what === 11) form.rename(field, text);
}

test('after any edits it has an error, or arguments that the session accepts', async () => {
  await fc.assert(
    fc.asyncProperty(typed, edits, async (one, all) => {
      const form = await open(one);
      const validate = await validator.compile(one.schema);
      for (const edit of all) act(form, edit);
      const sent = await form.submit();
      if (sent === null) {
        expect(form.isValid.value).toBe(false);
        const shown = allFields(form.fields.value).some(
          ({ errors, row }) => errors.length > 0 || row?.error != null,
        );
        expect(shown || form.errors.value.length > 0).toBe(true);
        expect(form.firstError.value).not.toBeNull();
      } else {
        expect(validate(sent)).toEqual([]);
        expect(JSON.parse(JSON.stringify(sent))).toEqual(sent);
        expect(form.firstError.value).toBeNull();
      }
      const ids = allFields(form.fields.value).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      form.reset();
      expect(form.value.value).toEqual(one.value);
    }),
    propertyRun('edited forms are right or say so', 300),
  );
});
