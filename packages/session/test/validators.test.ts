// One suite for both built-in validators: they must find the same issues, in the same words.
import { maxPatternSteps, type LoadMatcher } from '@banister/schema';
import { createCompiledValidator } from '@banister/schema/compiled';
import { createInterpretedValidator } from '@banister/schema/interpreted';
import { describe, expect, it, vi } from 'vitest';
import { callTools, observe, say, scriptedProvider, spyTool } from '@banister/testing';
import { createAgentSession, type JsonObject, type JsonValue, type SchemaValidator } from '@banister/session';
import { z } from 'zod';
import { loadMatcher } from '../src/tools/pattern-matcher.js';
import { issueTexts } from '../src/tools/check-arguments.js';
import { resultTexts } from './fixture.js';

interface Case {
  readonly name: string;
  readonly schema: JsonObject;
  readonly valid: readonly JsonValue[];
  /** Value and the issues that it has, in any order. */
  readonly invalid: readonly (readonly [JsonValue, ...string[]])[];
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...more,
});

const cases: readonly Case[] = [
  {
    name: 'required',
    schema: object(
      { title: { type: 'string' }, column: { type: 'string' } },
      { required: ['title', 'column'] },
    ),
    valid: [
      { title: 'a', column: 'b' },
      { title: '', column: '', more: 1 },
    ],
    invalid: [
      [{}, '"title" is required', '"column" is required'],
      [{ title: 'a' }, '"column" is required'],
    ],
  },
  {
    name: 'types',
    schema: object({
      s: { type: 'string' },
      n: { type: 'number' },
      i: { type: 'integer' },
      b: { type: 'boolean' },
      a: { type: 'array' },
      o: { type: 'object' },
      z: { type: 'null' },
      u: { type: ['string', 'null'] },
    }),
    valid: [{ s: 'x', n: 1.5, i: 1, b: true, a: [], o: {}, z: null, u: null }, { i: 1.0 }],
    invalid: [
      [{ s: 1 }, '"s" must be of type string'],
      [{ n: '1' }, '"n" must be of type number'],
      [{ i: 1.5 }, '"i" must be of type integer'],
      [{ b: 'true' }, '"b" must be of type boolean'],
      [{ a: {} }, '"a" must be of type array'],
      [{ o: [] }, '"o" must be of type object'],
      [{ z: 0 }, '"z" must be of type null'],
      [{ u: 1 }, '"u" must be of type string or null'],
      [{ s: 1, n: '1' }, '"s" must be of type string', '"n" must be of type number'],
    ],
  },
  {
    name: 'the top level',
    schema: object({}),
    valid: [{}],
    invalid: [
      [[], 'must be of type object'],
      ['x', 'must be of type object'],
    ],
  },
  {
    name: 'unknown parameters',
    schema: object({ a: { type: 'string' } }, { additionalProperties: false }),
    valid: [{}, { a: 'x' }],
    invalid: [
      [{ b: 1 }, '"b" is not a known parameter'],
      [{ b: 1, c: 2 }, '"b" is not a known parameter', '"c" is not a known parameter'],
    ],
  },
  {
    name: 'a schema for everything else',
    schema: object({ a: { type: 'string' } }, { additionalProperties: { type: 'integer' } }),
    valid: [{ a: 'x', b: 1 }],
    invalid: [[{ b: 'x' }, '"b" must be of type integer']],
  },
  {
    name: 'parameters that must not be there',
    schema: object({
      a: false as unknown as JsonValue,
      items: { type: 'array', items: false as unknown as JsonValue },
    }),
    valid: [{}, { items: [] }],
    invalid: [],
  },
  {
    name: 'further down',
    schema: object({
      card: object({ title: { type: 'string' } }, { required: ['title'], additionalProperties: false }),
      tags: { type: 'array', items: { type: 'string' } },
    }),
    valid: [{ card: { title: 'x' }, tags: ['a'] }],
    invalid: [
      [{ card: {} }, '"card.title" is required'],
      [{ card: { title: 1 } }, '"card.title" must be of type string'],
      [{ card: { title: 'x', x: 1 } }, '"card.x" is not a known parameter'],
      [{ tags: ['a', 1] }, '"tags.1" must be of type string'],
    ],
  },
  {
    name: 'bounds',
    schema: object({
      s: { type: 'string', minLength: 2, maxLength: 3 },
      n: { type: 'number', minimum: 1, maximum: 5 },
      x: { type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 5, multipleOf: 0.5 },
      a: { type: 'array', minItems: 1, maxItems: 2, uniqueItems: true },
      p: { type: 'string', pattern: '^[a-z]+$' },
      o: { type: 'object', minProperties: 1, maxProperties: 2 },
    }),
    valid: [{ s: 'ab', n: 1, x: 1.5, a: [1], p: 'abc', o: { a: 1 } }],
    invalid: [
      [{ s: 'a' }, '"s" must have at least 2 characters'],
      [{ s: 'abcd' }, '"s" must have at most 3 characters'],
      [{ n: 0 }, '"n" must be at least 1'],
      [{ n: 6 }, '"n" must be at most 5'],
      [{ x: 1 }, '"x" must be more than 1'],
      [{ x: 5 }, '"x" must be less than 5'],
      [{ x: 1.3 }, '"x" must be a multiple of 0.5'],
      [{ a: [] }, '"a" must have at least 1 item'],
      [{ a: [1, 2, 3] }, '"a" must have at most 2 items'],
      [{ a: [1, 1] }, '"a" must not hold the same item twice'],
      [{ p: 'A' }, '"p" must match ^[a-z]+$'],
      [{ o: {} }, '"o" must have at least 1 property'],
      [{ o: { a: 1, b: 2, c: 3 } }, '"o" must have at most 2 properties'],
    ],
  },
  {
    name: 'enum and const',
    schema: object({ e: { enum: ['a', 'b', 1] }, c: { const: 'x' } }),
    valid: [{ e: 'a', c: 'x' }, { e: 1 }],
    invalid: [
      [{ e: 'c' }, '"e" must be one of "a", "b", 1'],
      [{ c: 'y' }, '"c" must be x'],
    ],
  },
  {
    name: 'references',
    schema: object(
      { node: { $ref: '#/$defs/node' } },
      { $defs: { node: object({ next: { $ref: '#/$defs/node' }, n: { type: 'integer' } }) } },
    ),
    valid: [{ node: { next: { next: {} } } }],
    invalid: [[{ node: { next: { n: 'x' } } }, '"node.next.n" must be of type integer']],
  },
  {
    name: 'format is an annotation',
    schema: object({ mail: { type: 'string', format: 'email' }, format: { type: 'string', format: 'date' } }),
    valid: [{ mail: 'nonsense', format: 'nonsense' }],
    invalid: [[{ format: 1 }, '"format" must be of type string']],
  },
  {
    name: 'keys with special characters',
    schema: object({
      'a/b': { type: 'string' },
      'a~b': { type: 'string' },
      'a b': { type: 'string' },
      'a%b': { type: 'string' },
    }),
    valid: [{ 'a/b': 'x' }],
    invalid: [
      [{ 'a/b': 1 }, '"a/b" must be of type string'],
      [{ 'a~b': 1 }, '"a~b" must be of type string'],
      [{ 'a b': 1 }, '"a b" must be of type string'],
      [{ 'a%b': 1 }, '"a%b" must be of type string'],
    ],
  },
  {
    name: 'names of Object.prototype',
    schema: object(
      { constructor: { type: 'string' }, toString: { type: 'string' } },
      { additionalProperties: false },
    ),
    valid: [{}, { constructor: 'x' }],
    invalid: [[{ hasOwnProperty: 1 }, '"hasOwnProperty" is not a known parameter']],
  },
];

const validators: readonly (readonly [string, (loadMatcher: LoadMatcher) => SchemaValidator])[] = [
  ['compiled', createCompiledValidator],
  ['interpreted', createInterpretedValidator],
];

describe.each(validators)('%s', (_name, create) => {
  describe.each(cases)('$name', ({ schema, valid, invalid }) => {
    it('accepts valid values', async () => {
      const validate = await create(loadMatcher).compile(schema);
      for (const value of valid) expect(issueTexts(validate(value)), JSON.stringify(value)).toEqual([]);
    });

    it('names each issue', async () => {
      const validate = await create(loadMatcher).compile(schema);
      for (const [value, ...issues] of invalid)
        expect(issueTexts(validate(value)).toSorted(), JSON.stringify(value)).toEqual(issues.toSorted());
    });
  });

  it.each([
    ['anyOf', object({ x: { anyOf: [{ type: 'string' }, { type: 'integer' }] } })],
    ['oneOf', object({ x: { oneOf: [{ type: 'string' }, { type: 'integer' }] } })],
  ])('reports at least one issue for the whole of %s', async (_keyword, schema) => {
    const validate = await create(loadMatcher).compile(schema);
    expect(validate({ x: 'a' })).toEqual([]);
    expect(issueTexts(validate({ x: true }))).toContain('"x" must match one of the allowed forms');
  });

  it.each([
    ['anyOf', 'must have id or name and city', []],
    [
      'oneOf',
      'must have exactly one of id or name and city',
      ['must have exactly one of id or name and city'],
    ],
  ])('names the properties of the alternatives of %s', async (keyword, message, ofBoth) => {
    const branches = [{ required: ['id'] }, { required: ['name', 'city'] }];
    const validate = await create(loadMatcher).compile({ type: 'object', [keyword]: branches });
    expect(issueTexts(validate({ name: 'Ada' }))).toContain(message);
    expect(issueTexts(validate({ id: '1', name: 'Ada', city: 'Bern' }))).toEqual(ofBoth);
    expect(issueTexts(validate({ id: '1' }))).toEqual([]);
  });

  it('names each property that another property requires', async () => {
    const dependentRequired = { phone: ['name', 'city'], name: ['title'] };
    const validate = await create(loadMatcher).compile({ type: 'object', dependentRequired });
    expect(issueTexts(validate({ phone: '7', city: 'Bern' }))).toEqual(['"name" is required with phone']);
    expect(issueTexts(validate({ name: 'Ada', phone: '7' })).toSorted()).toEqual([
      '"city" is required with phone',
      '"title" is required with name',
    ]);
    expect(issueTexts(validate({ city: 'Bern' }))).toEqual([]);
  });

  it('a wrong schema throws when it is compiled, not at a call', async () => {
    const compile = async (property: JsonObject) => create(loadMatcher).compile(object({ x: property }));
    await expect(compile({ $ref: '#/$defs/nowhere' })).rejects.toThrow(
      "can't resolve reference #/$defs/nowhere",
    );
    await expect(compile({ type: 'string', pattern: '[a' })).rejects.toThrow(
      'the pattern [a at #/properties/x/pattern cannot be used',
    );
  });

  describe('T13 patterns', () => {
    const endless = [
      '(a+)+$',
      '^(a|a)*$',
      '^(ab|(ab)+)+$',
      '^(a?){40}a{40}$',
      '(?=(a+)+b)c',
      '(?<=^(a+)+)!b',
    ];

    it.each(endless)(
      '%s, which backtracks catastrophically in browsers, is matched in linear time',
      async (pattern) => {
        const validate = await create(loadMatcher).compile(object({ x: { type: 'string', pattern } }));
        for (const x of [`${'a'.repeat(1000)}!`, `${'ab'.repeat(1000)}!`]) {
          expect(issueTexts(validate({ x }))).toEqual([`"x" must match ${pattern}`]);
        }
      },
    );

    it('accept matching texts and refuse other texts, side by side and nested', async () => {
      const validate = await create(loadMatcher).compile(
        object({
          mail: z.toJSONSchema(z.email()) as JsonObject,
          words: { type: 'array', items: { type: 'string', pattern: '^(\\p{L}+ ?)+$' } },
          other: { not: { pattern: '(a+)+$' } },
          either: { anyOf: [{ pattern: '^(a|b)+$' }, { pattern: '^(c|d)+$' }] },
        }),
      );
      const issues = (value: JsonValue) => issueTexts(validate(value));
      expect(issues({ mail: 'ada@example.org', words: ['été là'], other: 'b', either: 'cd' })).toEqual([]);
      expect(issues({ mail: 'ada..l@example.org' })).toEqual([
        expect.stringMatching(/^"mail" must match \^/),
      ]);
      expect(issues({ words: ['a b', 'a1'] })).toEqual(['"words.1" must match ^(\\p{L}+ ?)+$']);
      expect(issues({ other: 'a' })).toHaveLength(1);
      expect(issues({ either: 'ac' })).toContain('"either" must match one of the allowed forms');
      // Values that are no texts.
      expect(issues({ mail: 1 })).toEqual(['"mail" must be of type string']);
    });

    it('select properties', async () => {
      const validate = await create(loadMatcher).compile(
        object(
          { open: { type: 'boolean' } },
          {
            patternProperties: {
              '^(n+)+$': { type: 'integer' },
              '^(n|s)+$': { maximum: 5 },
              '^s': { type: 'string' },
              '^[.]|x$': { type: 'null' },
            },
            additionalProperties: false,
          },
        ),
      );
      const issues = (value: JsonValue) => issueTexts(validate(value)).toSorted();
      expect(issues({ open: true, nn: 1, ns: 2, sn: 'a', '.*': null, 'a/~x': null })).toEqual([]);
      expect(issues({ nn: 'a' })).toEqual(['"nn" must be of type integer']);
      expect(issues({ nn: 6, ns: 7 })).toEqual(['"nn" must be at most 5', '"ns" must be at most 5']);
      expect(issues({ '.*': 1, a: 1 })).toEqual([
        '".*" must be of type null',
        '"a" is not a known parameter',
      ]);
      expect(issues({ [`${'n'.repeat(1000)}!`]: 1 })).toHaveLength(1);
    });

    it('restrict the names of properties', async () => {
      const validate = await create(loadMatcher).compile(
        object({ map: { type: 'object', propertyNames: { pattern: '^(a+)+$' } } }),
      );
      expect(validate({ map: { aa: 1 } })).toEqual([]);
      expect(validate({ map: { [`${'a'.repeat(1000)}!`]: 1 } })).not.toEqual([]);
    });

    it('refuse texts that would take too long, and check later texts', async () => {
      const validate = await create(loadMatcher).compile(
        object({ x: { type: 'string', not: { pattern: '(a+)+$' } }, y: { pattern: '^(a|b)+$' } }),
      );
      const tooLong = ['the texts are too long to be matched with the patterns of the schema'];
      expect(issueTexts(validate({ x: `${'a'.repeat(maxPatternSteps)}!` }))).toEqual(tooLong);
      expect(issueTexts(validate({ y: 'ab'.repeat(maxPatternSteps) }))).toEqual(tooLong);
      expect(validate({ y: 'ab' })).toEqual([]);
    });

    it('with lookarounds over the whole text are matched too', async () => {
      const validate = await create(loadMatcher).compile(object({ x: { pattern: '(?=.*b)c|(?<=d.*)e' } }));
      const text = 'a'.repeat(20_000);
      expect(validate({ x: text })).toEqual([{ path: ['x'], message: 'must match (?=.*b)c|(?<=d.*)e' }]);
      expect(validate({ x: `c${text}b` })).toEqual([]);
      expect(validate({ x: `d${text}e` })).toEqual([]);
    });

    it.each([
      ['(a+)\\1', 'it refers back to what a group matched: \\1'],
      ['(?<x>a+)\\k<x>', 'it refers back to what a group matched: \\k<x>'],
      ['((a{1000}){1000}){1000}', 'its counts are too large'],
      ['(?:){1000000000000}', 'its counts are too large'],
    ])('%s cannot be matched in limited time, and is refused when it is compiled', async (pattern, why) => {
      const schema = object({ list: { type: 'array', items: { type: 'string', pattern } } });
      await expect(async () => create(loadMatcher).compile(schema)).rejects.toThrow(
        `the pattern ${pattern} at #/properties/list/items/pattern cannot be used: ${why}`,
      );
    });

    it('are not read from data or from property names', async () => {
      const validate = await create(loadMatcher).compile(
        object({ pattern: { enum: [{ pattern: '(a)\\1' }] }, x: { default: { pattern: '[' } } }),
      );
      expect(validate({ pattern: { pattern: '(a)\\1' } })).toEqual([]);
    });
  });

  it('two schemas with the same $id do not interfere', async () => {
    const validator = create(loadMatcher);
    const a = await validator.compile({ ...object({ x: { type: 'string' } }), $id: 'https://x.test/same' });
    const b = await validator.compile({ ...object({ x: { type: 'number' } }), $id: 'https://x.test/same' });
    expect([a({ x: 'a' }).length, b({ x: 'a' }).length]).toEqual([0, 1]);
  });

  it('AK-D7 accepts the dialect that a schema library names', async () => {
    const validate = await create(loadMatcher).compile({
      ...object({ x: { type: 'string' } }),
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    });
    expect(validate({ x: 1 })).toHaveLength(1);
  });

  it('neither changes the value nor fills in defaults', async () => {
    const validate = await create(loadMatcher).compile(
      object({ x: { type: 'string', default: 'd' }, n: { type: 'number' } }),
    );
    const value = Object.freeze({ n: 1 });
    expect(validate(value)).toEqual([]);
    expect(value).toEqual({ n: 1 });
  });
});

describe('the port', () => {
  const play = async (validator: 'auto' | 'compiled' | 'interpreted' | SchemaValidator) => {
    const tool = spyTool('work', { parameters: object({ n: { type: 'integer' } }) as never });
    const provider = scriptedProvider([
      callTools({ tool: 'board.work', args: { n: 'x' } }, { tool: 'board.work', args: { n: 1 } }),
      say('x'),
    ]);
    const session = createAgentSession({
      provider,
      domains: [{ id: 'board', tools: [tool] }],
      ports: { validator },
    });
    const observed = observe(session);
    await session.send('Go');
    await session.dispose();
    observed.dispose();
    return { runs: tool.runs.length, text: resultTexts(provider.requests[1]!)[0] };
  };

  it.each(['auto', 'compiled', 'interpreted'] as const)(
    '%s loads at the first call, and works',
    async (name) => {
      expect(await play(name)).toEqual({
        runs: 1,
        text: expect.stringContaining('"n" must be of type integer'),
      });
    },
  );

  it('interprets if there is a document', async () => {
    vi.stubGlobal('document', {});
    // Code generation throws, as under a Content-Security-Policy.
    vi.stubGlobal('Function', () => {
      throw new EvalError('unsafe-eval');
    });
    try {
      expect((await play('auto')).runs).toBe(1);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('takes a validator of your own', async () => {
    const compile = vi.fn(() => () => []);
    expect((await play({ compile })).runs).toBe(2);
    expect(compile).toHaveBeenCalledTimes(1);
  });

  it('compiles a schema once for all sessions, and again when its content or the validator is another', async () => {
    const parameters = { ...object({ n: { type: 'integer' } }) };
    const validators = [{ compile: vi.fn(() => () => []) }, { compile: vi.fn(() => () => []) }] as const;
    const call = async (validator: SchemaValidator) => {
      const provider = scriptedProvider([callTools({ tool: 'board.work', args: { n: 1 } }), say('x')]);
      // Another tool with an equal schema, as a component creates one in each render.
      const tool = { ...spyTool('work'), parameters: parameters as never };
      const domains = [{ id: 'board', tools: [tool] }];
      await using session = createAgentSession({ provider, domains, ports: { validator } });
      await session.send('Go');
    };
    const compilations = () => validators.map(({ compile }) => compile.mock.calls.length);
    await call(validators[0]);
    await call(validators[0]);
    expect(compilations()).toEqual([1, 0]);
    await call(validators[1]);
    expect(compilations()).toEqual([1, 1]);
    parameters.required = ['n'];
    await call(validators[0]);
    expect(compilations()).toEqual([2, 1]);
  });
});
