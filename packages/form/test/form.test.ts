import { describe, expect, test, vi } from 'vitest';
import { effect, type JsonObject } from '@banister/session';
import { loadToolCheck } from '@banister/session/check';
import { createForm, shortText } from '@banister/form';
import { z } from 'zod';
import { fieldAt, opened } from './opened.js';

/** The parameters of a tool with these properties. */
const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

async function kindsOf(properties: JsonObject, value?: JsonObject): Promise<Record<string, string>> {
  const form = await opened(object(properties), value);
  return Object.fromEntries(form.fields.value.map(({ path, kind }) => [String(path[0]), kind]));
}

describe('fields', () => {
  test('each schema has its kind of field, in the order of the schema', async () => {
    const kinds = await kindsOf({
      four: { enum: ['a', 'b', 'c', 'd'] },
      five: { enum: [1, 2, 3, 4, 5] },
      titled: {
        oneOf: [
          { const: 'a', title: 'First' },
          { const: 'b', title: 'Second' },
        ],
      },
      fixed: { const: 'x' },
      yes: { type: 'boolean' },
      count: { type: 'integer' },
      maybe: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      short: { type: 'string' },
      long: { type: 'string', maxLength: 81 },
      media: { type: 'string', contentMediaType: 'text/markdown' },
      lines: { type: 'array', items: { type: 'string' } },
      checks: { type: 'array', items: { enum: ['a', 'b'] } },
      numbers: { type: 'array', items: { type: 'number' } },
      tuple: { type: 'array', prefixItems: [{ type: 'number' }] },
      group: object({ a: { type: 'string' } }),
      map: { type: 'object', additionalProperties: { type: 'string' } },
      open: { type: 'object' },
      either: { type: ['string', 'number'] },
      anything: {},
      absent: { anyOf: [{ type: 'string' }, {}] },
    });
    expect(kinds).toEqual({
      four: 'segments',
      five: 'select',
      titled: 'segments',
      fixed: 'fixed',
      yes: 'checkbox',
      count: 'number',
      maybe: 'number',
      short: 'text',
      long: 'textarea',
      media: 'textarea',
      lines: 'lines',
      checks: 'checks',
      numbers: 'list',
      tuple: 'json',
      group: 'group',
      map: 'group',
      open: 'json',
      either: 'alternatives',
      anything: 'json',
      absent: 'json',
    });
    expect(Object.keys(kinds).slice(0, 3)).toEqual(['four', 'five', 'titled']);
  });

  test('a long value, and a value with a line break, gets a text area', async () => {
    const text = { type: 'string' };
    expect(await kindsOf({ a: text, b: text }, { a: 'x'.repeat(81), b: 'a\nb' })).toEqual({
      a: 'textarea',
      b: 'textarea',
    });
  });

  test('labels, hints, limits and defaults come from the schema', async () => {
    const form = await opened(
      object({
        due_date: { type: 'string', format: 'date', title: 'Due', description: 'The last day' },
        assigneeID: { type: 'string', default: 'me' },
        points: { type: 'number', minimum: 0, exclusiveMaximum: 8, multipleOf: 0.5 },
      }),
      {},
    );
    expect(form.fields.value.map(({ label, hint, preset }) => [label, hint, preset])).toEqual([
      ['Due', 'The last day', null],
      ['Assignee ID', null, 'me'],
      ['Points', null, null],
    ]);
    expect(fieldAt(form, 'Points')).toMatchObject({
      limits: 'at least 0, less than 8, in steps of 0.5',
      min: 0,
      max: null,
    });
  });

  test('`allOf` and `$ref` are resolved, even a recursive `$ref`', async () => {
    const schema = {
      ...object({ root: { $ref: '#/$defs/tree' } }),
      $defs: {
        named: object({ label: { type: 'string' } }, { required: ['label'] }),
        tree: {
          allOf: [
            { $ref: '#/$defs/named' },
            object({ parts: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
          ],
        },
      },
    };
    const form = await opened(schema, { root: { label: 'a', parts: [{ label: 'b' }] } });
    form.input(fieldAt(form, 'Root', 'Parts', 'Item 1', 'Label'), 'c');
    form.add(fieldAt(form, 'Root', 'Parts'));
    expect(form.value.value).toEqual({ root: { label: 'a', parts: [{ label: 'c' }, {}] } });
    expect(await form.submit()).toBeNull();
    expect(fieldAt(form, 'Root', 'Parts', 'Item 2', 'Label').errors).toEqual(['is required']);
  });

  test('a value that contradicts its schema, and a property without a schema, are kept and have fields', async () => {
    const form = await opened(object({ count: { type: 'number' }, mode: { enum: ['a', 'b'] } }), {
      count: '3',
      mode: 'c',
      other: { deep: true },
    });
    expect(form.fields.value.map(({ label, kind }) => [label, kind])).toEqual([
      ['Count', 'json'],
      ['Mode', 'segments'],
      ['Other', 'json'],
    ]);
    expect(fieldAt(form, 'Mode')).toMatchObject({
      options: [{ key: '' }, { label: 'a' }, { label: 'b' }, { label: 'c', isSelected: true }],
    });
    form.input(fieldAt(form, 'Count'), '3');
    form.input(fieldAt(form, 'Mode'), '0');
    expect(await form.submit()).toEqual({ count: 3, mode: 'a', other: { deep: true } });
    form.leaveOut(fieldAt(form, 'Other'));
    expect(await form.submit()).toEqual({ count: 3, mode: 'a' });
  });

  test('a form without a value begins with defaults, fixed values and required values', async () => {
    const form = await opened(
      object(
        {
          kind: { const: 'card' },
          size: { type: 'number', default: 2 },
          place: object({ v: { const: 1 } }, { required: ['v'] }),
          note: { type: 'string' },
        },
        { required: ['kind', 'place'] },
      ),
    );
    expect(form.value.value).toEqual({ kind: 'card', size: 2, place: { v: 1 } });
  });
});

describe('left out, empty and null', () => {
  const text = { type: 'string' };
  test('an emptied text is left out if the model wrote none, and otherwise an empty string', async () => {
    const form = await opened(
      object({ a: text, b: text, c: { type: ['string', 'null'] }, d: { type: 'string', minLength: 1 } }),
      {
        b: 'x',
        c: null,
        d: 'x',
      },
    );
    for (const label of ['A', 'B', 'C', 'D']) {
      form.input(fieldAt(form, label), 'y');
      form.input(fieldAt(form, label), '');
    }
    expect(form.value.value).toEqual({ b: '', c: null });
    form.leaveOut(fieldAt(form, 'B'));
    form.setNull(fieldAt(form, 'C'));
    expect(form.value.value).toEqual({ c: null });
  });

  test('an optional checkbox is ticked, not ticked, or left out', async () => {
    const form = await opened(object({ urgent: { type: 'boolean' } }), {});
    const urgent = () => fieldAt(form, 'Urgent');
    // audit-V7: the user can tick the box without adding a value first.
    expect(urgent()).toMatchObject({
      presence: 'absent',
      isChecked: false,
      canLeaveOut: false,
      canGive: false,
    });
    form.input(urgent(), true);
    form.input(urgent(), false);
    expect(form.value.value).toEqual({ urgent: false });
    form.leaveOut(urgent());
    expect(form.value.value).toEqual({});
  });

  test('a choice has options for none and for null', async () => {
    const form = await opened(
      object({ mode: { enum: ['a', null] }, need: { enum: ['a', 'b'] } }, { required: ['need'] }),
      { need: 'a' },
    );
    expect(fieldAt(form, 'Mode')).toMatchObject({ kind: 'fixed', canBeNull: true });
    expect(fieldAt(form, 'Need')).toMatchObject({ options: [{ key: '0' }, { key: '1' }] });
    form.input(fieldAt(form, 'Need'), '');
    expect(form.value.value).toEqual({ need: 'a' });
  });
});

describe('dates and times', () => {
  const time = { type: 'string', format: 'date-time' };
  test('a date-time keeps its zone, and a value that no control can represent is a text field', async () => {
    const form = await opened(object({ at: time }), { at: '2026-12-01T10:00:00+02:00' });
    expect(fieldAt(form, 'At')).toMatchObject({
      input: 'datetime-local',
      text: '2026-12-01T10:00:00',
      zone: 'UTC+02:00',
    });
    form.input(fieldAt(form, 'At'), '2026-12-01T11:30');
    expect(form.value.value).toEqual({ at: '2026-12-01T11:30:00+02:00' });
  });

  test('a new date-time is read in the zone of the user and written in UTC', async () => {
    const form = await opened(object({ at: time }), {});
    form.input(fieldAt(form, 'At'), '2026-12-01T10:00');
    expect(form.value.value).toEqual({ at: new Date('2026-12-01T10:00').toISOString().replace('.000', '') });
    expect(fieldAt(form, 'At')).toMatchObject({
      zone: expect.stringMatching(/^UTC[+-]\d\d:\d\d$/) as string,
    });
  });

  test.each(['2026-02-30', '2026-12-01T10:00:00.123456Z', '2026-12-01 10:00', 'tomorrow'])(
    '%s, which no control can represent, is a text field',
    async (at) => {
      const format = at === '2026-02-30' ? 'date' : 'date-time';
      const form = await opened(object({ at: { type: 'string', format } }), { at });
      expect(fieldAt(form, 'At')).toMatchObject({ input: 'text', text: at });
    },
  );
});

describe('errors', () => {
  const schema = object(
    { title: { type: 'string', minLength: 2 }, points: { type: 'integer', maximum: 8 } },
    { required: ['title'] },
  );

  test('errors are shown after a field was touched or the form was submitted, and disappear when the value is valid', async () => {
    const form = await opened(schema, { title: 'P', points: 9 });
    expect(form.isValid.value).toBe(false);
    expect(form.fields.value.map(({ errors }) => errors)).toEqual([[], []]);
    form.touch(fieldAt(form, 'Title'));
    expect(form.fields.value.map(({ errors }) => errors)).toEqual([['must have at least 2 characters'], []]);
    expect(await form.submit()).toBeNull();
    expect(fieldAt(form, 'Points').errors).toEqual(['must be at most 8']);
    expect(form.firstError.value).toBe(fieldAt(form, 'Title'));
    form.input(fieldAt(form, 'Title'), 'Plan');
    expect(form.firstError.value).toBe(fieldAt(form, 'Points'));
    form.input(fieldAt(form, 'Points'), '8');
    expect(form.firstError.value).toBeNull();
    expect(await form.submit()).toEqual({ title: 'Plan', points: 8 });
  });

  test('a condition over required fields is an error of the whole, and no field is marked as required', async () => {
    const text = { type: 'string' };
    const either = { anyOf: [{ required: ['email'] }, { required: ['phone'] }] };
    const form = await opened(
      object(
        {
          email: text,
          phone: text,
          name: text,
          place: object(
            { city: text, code: text },
            { oneOf: [{ required: ['city'] }, { required: ['code'] }] },
          ),
        },
        { ...either, required: ['name'], dependentRequired: { phone: ['place'] } },
      ),
      {},
    );
    expect(await form.submit()).toBeNull();
    expect(form.errors.value).toEqual(['must have email or phone']);
    expect(form.fields.value.map(({ label, errors }) => [label, errors.join()])).toEqual([
      ['Email', ''],
      ['Phone', ''],
      ['Name', 'is required'],
      ['Place', ''],
    ]);
    form.input(fieldAt(form, 'Phone'), '7');
    form.input(fieldAt(form, 'Name'), 'Ada');
    expect(form.errors.value).toEqual([]);
    expect(fieldAt(form, 'Place').errors).toEqual(['is required with phone']);
    form.give(fieldAt(form, 'Place'));
    expect(fieldAt(form, 'Place').errors).toEqual(['must have exactly one of city or code']);
    expect(fieldAt(form, 'Place', 'City').errors).toEqual([]);
    expect(form.firstError.value).toBe(fieldAt(form, 'Place'));
    form.input(fieldAt(form, 'Place', 'City'), 'Bern');
    expect(await form.submit()).toEqual({ phone: '7', name: 'Ada', place: { city: 'Bern' } });
  });

  test.each([
    ['12x', 'must be a number'],
    ['0x10', 'must be a number'],
    ['1e999', 'has more digits than can be kept'],
    ['12345678901234567890', 'has more digits than can be kept'],
    ['1.5', 'must be of type integer'],
  ])('%s is not an integer, and the text stays', async (text, error) => {
    const form = await opened(schema, { title: 'Plan' });
    form.input(fieldAt(form, 'Points'), text);
    expect(fieldAt(form, 'Points')).toMatchObject({ text, errors: [error] });
    expect(await form.submit()).toBeNull();
  });

  test('errors of a line are shown at its field, errors of the whole at the form', async () => {
    const form = await opened(
      object({ tags: { type: 'array', items: { type: 'string', maxLength: 3 } } }, { minProperties: 2 }),
      {},
    );
    form.input(fieldAt(form, 'Tags'), 'abc\nabcd');
    expect(fieldAt(form, 'Tags').errors).toEqual(['Item 2 must have at most 3 characters']);
    await form.submit();
    expect(form.errors.value).toEqual(['must have at least 2 properties']);
  });

  test('only errors of the selected alternative are shown', async () => {
    const shape = (kind: string, side: string) =>
      object({ kind: { const: kind }, [side]: { type: 'number' } }, { required: ['kind', side] });
    const form = await opened(
      object(
        { shape: { oneOf: [shape('circle', 'radius'), shape('square', 'width')] } },
        { required: ['shape'] },
      ),
      {
        shape: { kind: 'square', width: 2 },
      },
    );
    form.input(fieldAt(form, 'Shape'), '0');
    expect(await form.submit()).toBeNull();
    expect(fieldAt(form, 'Shape').errors).toEqual([]);
    expect(form.firstError.value?.path).toEqual(['shape', 'radius']);
    expect(form.firstError.value?.errors).toEqual(['is required']);
    form.input(form.firstError.value!, '3');
    expect(await form.submit()).toEqual({ shape: { kind: 'circle', radius: 3 } });
    // Back at the first alternative, its value is unchanged.
    form.input(fieldAt(form, 'Shape'), '1');
    expect(form.value.value).toEqual({ shape: { kind: 'square', width: 2 } });
  });

  test('the rules of a schema library are errors of the form too', async () => {
    const parameters = z
      .object({ from: z.number(), to: z.number() })
      .refine(({ from, to }) => from < to, { path: ['to'], message: 'must be later' });
    const form = createForm({
      ...(await loadToolCheck({ name: 'work', parameters })),
      value: { from: 1, to: 2 },
    });
    form.input(fieldAt(form, 'To'), '0');
    expect(fieldAt(form, 'To').errors).toEqual(['must be later']);
  });

  test('while a check is pending the form is not valid, and `submit` waits for the latest value', async () => {
    const answers: ((issues: []) => void)[] = [];
    const check = vi.fn(() => new Promise<[]>((resolve) => void answers.push(resolve)));
    const form = createForm({ schema: object({ a: { type: 'string' } }), check, value: { a: 'x' } });
    form.input(fieldAt(form, 'A'), 'y');
    expect([form.isChecking.value, form.isValid.value]).toEqual([true, false]);
    const sent = form.submit();
    answers[1]!([]);
    expect(await sent).toEqual({ a: 'y' });
    expect([form.isChecking.value, form.isValid.value]).toEqual([false, true]);
  });

  test('if a check throws or rejects, the form is not valid', async () => {
    const schema = object({ a: { type: 'string' } });
    const throws = createForm({
      schema,
      value: {},
      check: () => {
        throw new Error('broken');
      },
    });
    const rejects = createForm({ schema, value: {}, check: () => Promise.reject(new Error('broken')) });
    for (const form of [throws, rejects]) {
      expect(await form.submit()).toBeNull();
      expect(form.errors.value).toEqual(['could not be checked']);
    }
  });
});

describe('words of the app', () => {
  test('T3: replace the English words, unless they are undefined', async () => {
    const form = await opened(
      object({ count: { type: 'number' }, on: { type: 'string', format: 'date' } }),
      undefined,
      {
        words: { noNumber: 'keine Zahl', noDate: undefined },
      },
    );
    const [count, on] = form.fields.value.map((field) => {
      form.input(field, '12x');
      form.touch(field);
      return fieldAt(form, field.label).errors;
    });
    expect([count, on]).toEqual([['keine Zahl'], ['must be a date that exists']]);
  });
});

describe('lists and rows', () => {
  test('items are added, moved and removed, and keep their ids', async () => {
    const form = await opened(
      object({ steps: { type: 'array', items: object({ n: { type: 'string' } }), maxItems: 3 } }),
      {
        steps: [{ n: 'a' }, { n: 'b' }],
      },
    );
    const [a, b] = [fieldAt(form, 'Steps', 'Item 1'), fieldAt(form, 'Steps', 'Item 2')];
    form.move(b, -1);
    expect(form.value.value).toEqual({ steps: [{ n: 'b' }, { n: 'a' }] });
    expect(fieldAt(form, 'Steps', 'Item 1').id).toBe(b.id);
    form.move(b, -1);
    form.add(fieldAt(form, 'Steps'));
    expect(fieldAt(form, 'Steps')).toMatchObject({ canAdd: false });
    form.remove(a);
    form.input(a, 'gone');
    expect(form.value.value).toEqual({ steps: [{ n: 'b' }, {}] });
  });

  test('a removed item or row is put back once, at its place and with its value', async () => {
    const form = await opened(
      object({
        steps: { type: 'array', items: object({ n: { type: 'string' } }) },
        map: { type: 'object', additionalProperties: { type: 'number' } },
      }),
      { steps: [{ n: 'a' }, { n: 'b' }, { n: 'c' }], map: { one: 1, two: 2 } },
    );
    const [, b, c] = [1, 2, 3].map((at) => fieldAt(form, 'Steps', `Item ${at}`));
    form.input(fieldAt(form, 'Steps', 'Item 2', 'N'), 'B');
    const putBack = form.remove(b!);
    form.move(c!, -1);
    putBack();
    putBack();
    expect(form.value.value['steps']).toEqual([{ n: 'c' }, { n: 'B' }, { n: 'a' }]);
    expect(fieldAt(form, 'Steps', 'Item 2').id).toBe(b!.id);
    form.remove(fieldAt(form, 'Map', 'One'))();
    expect(form.value.value['map']).toEqual({ one: 1, two: 2 });
    // A field that is no item and no row stays.
    form.remove(fieldAt(form, 'Steps'))();
    expect(Object.keys(form.value.value)).toEqual(['steps', 'map']);
  });

  test('nothing is put back after a reset, and into a list that is left out', async () => {
    const form = await opened(
      object({ steps: { type: 'array', items: object({ n: { type: 'string' } }) } }),
      {
        steps: [{ n: 'a' }, { n: 'b' }],
      },
    );
    const early = form.remove(fieldAt(form, 'Steps', 'Item 1'));
    form.reset();
    early();
    expect(form.value.value).toEqual({ steps: [{ n: 'a' }, { n: 'b' }] });
    const late = form.remove(fieldAt(form, 'Steps', 'Item 1'));
    form.leaveOut(fieldAt(form, 'Steps'));
    late();
    expect(form.value.value).toEqual({});
  });

  test('a row needs a unique name, and __proto__ is not allowed', async () => {
    const form = await opened(object({ map: { type: 'object', additionalProperties: { type: 'number' } } }), {
      map: { a: 1 },
    });
    form.add(fieldAt(form, 'Map'));
    const row = () => fieldAt(form, 'Map', form.value.value ? 'A' : '');
    expect(row().row).toEqual({ name: 'a', error: null });
    const added = () => {
      const map = fieldAt(form, 'Map');
      return map.kind === 'group' ? map.fields[1]! : map;
    };
    for (const name of ['', 'a', '__proto__']) {
      form.rename(added(), name);
      expect(added().row?.error).toBe('needs a name that no other row has');
      expect(await form.submit()).toBeNull();
    }
    form.rename(added(), 'b');
    form.input(added(), '2');
    expect(await form.submit()).toEqual({ map: { a: 1, b: 2 } });
  });
});

describe('as JSON', () => {
  test('invalid JSON has an error with its position, and the fields are hidden until it is fixed', async () => {
    const form = await opened(object({ a: { type: 'string' } }), { a: 'x' });
    form.showJson(true);
    const field = () => form.fields.value[0]!;
    for (const [text, place] of [
      ['{"a": "y",}', 'line 1, column 11'],
      ['{\n  "a" "y"\n}', 'line 2, column 7'],
      ['{"a": tru}', 'line 1, column 7'],
      ['[1, 2', 'line 1, column 6'],
      ['{"a": 1} 2', 'line 1, column 10'],
      ['', 'line 1, column 1'],
    ]) {
      form.input(field(), text!);
      expect(field().errors).toEqual([`is no valid JSON: ${place}`]);
      form.showJson(false);
      expect(form.isJson.value).toBe(true);
    }
    form.input(field(), '{"__proto__": {}}');
    expect(field().errors).toEqual(['The key "__proto__" is not allowed, nor 1e999.']);
    form.input(field(), '{"a": "z", "b": [1]}');
    form.showJson(false);
    expect(form.fields.value.map(({ label }) => label)).toEqual(['A', 'B']);
    expect(await form.submit()).toEqual({ a: 'z', b: [1] });
  });

  test('a value that is not an object is an error of the form', async () => {
    const form = await opened(object({}), {});
    form.showJson(true);
    form.input(form.fields.value[0]!, 'null');
    expect(await form.submit()).toBeNull();
    expect(form.fields.value[0]!.errors).toEqual(['must be of type object']);
  });
});

describe('changes', () => {
  test("the changes list the differences from the model's arguments; `reset` reverts them", async () => {
    const form = await opened(
      object({
        card: object({ title: { type: 'string' } }),
        tags: { type: 'array', items: { type: 'string' } },
      }),
      {
        card: { title: 'Plan' },
        tags: ['a'],
      },
    );
    form.input(fieldAt(form, 'Card', 'Title'), 'Draft');
    form.input(fieldAt(form, 'Tags'), 'a\nb');
    expect(
      form.changes.value.map(
        ({ label, before, after }) => `${label}: ${shortText(before)} → ${shortText(after)}`,
      ),
    ).toEqual(['Card › Title: Plan → Draft', 'Tags: a → a, b']);
    expect(form.fields.value.map(({ isChanged }) => isChanged)).toEqual([true, true]);
    form.reset();
    expect(form.changes.value).toEqual([]);
  });

  test('a field is the same object until something in it changes', async () => {
    const form = await opened(object({ a: { type: 'string' }, b: object({ c: { type: 'string' } }) }), {
      b: {},
    });
    const before = form.fields.value;
    form.input(fieldAt(form, 'A'), 'x');
    expect(form.fields.value[1]).toBe(before[1]);
    expect(form.fields.value[0]).not.toBe(before[0]);
  });

  test('a method that is called in an effect does not subscribe the effect', async () => {
    const form = await opened(object({ a: { type: 'string' } }), {});
    let runs = 0;
    const [a] = form.fields.value;
    const end = effect(() => {
      runs++;
      form.input(a!, 'x');
      form.touch(a!);
    });
    form.input(a!, 'y');
    expect(runs).toBe(1);
    end();
  });

  test('short texts are cut between characters', () => {
    expect(shortText('a'.repeat(200))).toHaveLength(80);
    expect(shortText(undefined)).toBe('Not given');
    expect(shortText([true, null, {}, 4, 5])).toBe('Yes, None, None and 2 more');
    expect(shortText({ due_date: 'x', deep: { deeper: { deepest: 1 } } })).toBe(
      'Due date: x, Deep: Deeper: …',
    );
    expect([...shortText('🙂'.repeat(90))]).toHaveLength(80);
  });
});

describe('bounds', () => {
  test('a schema with thousands of properties is edited as JSON, and one of 10,000 values has suggestions', async () => {
    const wide = Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`p${at}`, { type: 'string' }]));
    const form = createForm({ schema: object(wide), check: () => [], value: { p1: 'x' } });
    expect(form.fields.value.map(({ kind }) => kind)).toEqual(['json']);

    const many = await opened(
      object({ city: { enum: Array.from({ length: 10_000 }, (_, at) => `City ${at}`) } }),
      {},
    );
    const city = () => fieldAt(many, 'City');
    many.input(city(), 'city 999');
    expect(city()).toMatchObject({ kind: 'text', errors: ['must be one of the values'] });
    expect(city()).toHaveProperty('suggestions.length', 11);
    many.input(city(), 'City 999');
    expect(await many.submit()).toEqual({ city: 'City 999' });
  });

  test('a schema that requires itself, and circular references, are limited', async () => {
    const endless = { ...object({ next: { $ref: '#' } }, { required: ['next'] }) };
    const form = await opened(endless);
    expect(await form.submit()).toBeNull();
    const circle = createForm({
      schema: {
        ...object({ a: { $ref: '#/$defs/a' } }),
        $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } },
      },
      check: () => [],
      value: {},
    });
    expect(circle.fields.value[0]?.kind).toBe('json');
    const doubled: Record<string, JsonObject> = { d30: { type: 'string' } };
    for (let at = 0; at < 30; at++)
      doubled[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] };
    const wide = createForm({
      schema: { ...object({ a: { $ref: '#/$defs/d0' } }), $defs: doubled },
      check: () => [],
      value: {},
    });
    expect(wide.fields.value).toHaveLength(1);
  });
});
