// Arguments are parsed strictly, validated, frozen.
import type { ProviderEvent } from '@banister/provider';
import { describe, expect, it } from 'vitest';
import { callInside, callTools, finishWith, forcedGuard, say, spyTool, unsafe } from '@banister/testing';
import { AgentSessionError, type SessionOptions } from '@banister/session';
import { z } from 'zod';
import { fixture, rejection, resultTexts } from './fixture.js';

async function called(
  argumentsText: string,
  options: Partial<SessionOptions> = {},
  parameters: object = { type: 'object' },
) {
  const tool = spyTool('work', { parameters: parameters as never });
  const guard = forcedGuard('guard', 'allow');
  await using f = fixture(
    [callTools({ tool: 'board.work', argumentsText, fragment: Infinity }), say('Done.')],
    {
      domains: [{ id: 'board', tools: [tool] }],
      guards: [guard],
      ...options,
    },
  );
  const result = await f.session.send('Go');
  expect(result.status).toBe('completed');
  return {
    runs: tool.runs,
    guarded: guard.calls.length,
    text: resultTexts(f.provider.requests[1]!)[0] ?? '',
    view: f.session.turns.value[0]?.rounds[0]?.parts[0],
    reported: f.reported,
    reason: f.observed.operations.flatMap((op) => (op.type === 'toolsRejected' ? op.calls : []))[0]?.reason,
  };
}

const refusedAs = async (text: string, message: RegExp) => {
  const { runs, guarded, reason, text: told } = await called(text);
  expect(runs).toEqual([]);
  expect(guarded).toBe(0);
  expect(reason).toBe('invalid-arguments');
  expect(told).toMatch(message);
};

describe('the parser', () => {
  it.each(['', ' ', '{}'])('T1 takes %o for no arguments', async (text) => {
    expect((await called(text)).runs.map((run) => run.args)).toEqual([{}]);
  });

  it.each([
    ['T9 a trailing comma', '{"a":1,}', /Not valid JSON/],
    ['T9 NaN', '{"a":NaN}', /Not valid JSON/],
    ['T9 a comment', '{"a":1 /* x */}', /Not valid JSON/],
    ['T9 single quotes', "{'a':1}", /Not valid JSON/],
    ['T8 a cut object', '{"a":"b', /Not valid JSON/],
    ['T9 two objects', '{}{}', /Not valid JSON/],
    ['an array', '[]', /must be a JSON object/],
    ['null', 'null', /must be a JSON object/],
    ['a text', '"x"', /must be a JSON object/],
  ])('refuses %s', (_name, text, message) => refusedAs(text, message));

  it.each([
    ['plain', '{"__proto__":{"polluted":true}}'],
    ['escaped', '{"\\u005f\\u005fproto__":{"polluted":true}}'],
    ['escaped in capitals', '{"__prot\\u006F__":{"polluted":true}}'],
    ['nested', '{"a":{"b":[{"__proto__":{"polluted":true}}]}}'],
  ])('T12 refuses the key __proto__ (%s), also in partial arguments', async (_name, text) => {
    await refusedAs(text, /__proto__/);
    const { view } = await called(text);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(JSON.stringify(view)).not.toContain('"polluted":');
  });

  it.each(['{"n":1e999}', '{"a":[{"n":-1e999}]}'])(
    'T9 refuses a number that is read as Infinity (%s), also in partial arguments',
    async (text) => {
      await refusedAs(text, /1e999/);
      const { view } = await called(text);
      expect(JSON.parse(JSON.stringify(view))).toEqual(view);
    },
  );

  it('T9 takes Infinity as a text', async () => {
    expect((await called('{"a":"Infinity"}')).runs.map((run) => run.args)).toEqual([{ a: 'Infinity' }]);
  });

  it('T12 accepts __proto__ as a value, and constructor and prototype as keys', async () => {
    const { runs } = await called('{"a":"__proto__","constructor":{"prototype":{"polluted":true}}}');
    expect(runs).toHaveLength(1);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('T9 refuses arguments that are nested more than 64 levels deep', async () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect((await called(nested(64))).runs).toHaveLength(1);
    await refusedAs(nested(65), /deeper than 64/);
    await refusedAs(nested(100_000), /deeper than 64/);
  });

  it('T9 duplicate keys: the last one counts, as in JSON.parse', async () => {
    expect((await called('{"a":1,"a":2}')).runs[0]?.args).toEqual({ a: 2 });
  });
});

describe('arguments', () => {
  it('T16 are frozen, and the history keeps its own copy', async () => {
    const { runs, view } = await called('{"a":{"b":[1]}}');
    const args = runs[0]!.args as { a: { b: number[] } };
    expect(() => args.a.b.push(2)).toThrow(TypeError);
    expect(() => Object.assign(args, { c: 1 })).toThrow(TypeError);
    expect(view).toMatchObject({ arguments: { a: { b: [1] } } });
  });

  it('are stored byte for byte beside their parsed value', async () => {
    const { view } = await called('{ "a" : 1.0 }');
    expect(view).toMatchObject({ argumentsText: '{ "a" : 1.0 }', arguments: { a: 1 } });
  });

  it('are rejected if the validator cannot be loaded', async () => {
    const validator = {
      compile: () => {
        throw new Error('offline');
      },
    };
    const ports = { validator };
    const tool = spyTool('work');
    const guard = forcedGuard('guard', { confirm: 'Sure?' });
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: [{ id: 'board', tools: [tool] }],
      guards: [guard],
      ports,
      reportsErrors: true,
    });
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(tool.runs).toEqual([]);
    expect(guard.calls).toEqual([]);
    expect(f.reported).toHaveLength(1);
    const rejected = f.observed.operations.flatMap((op) => (op.type === 'toolsRejected' ? op.calls : []));
    expect(rejected[0]?.reason).toBe('validator-unavailable');
  });

  it('a failed validator is tried again at the next call', async () => {
    let offline = true;
    const tool = spyTool('work');
    await using f = fixture(
      [callTools({ tool: 'board.work' }), say('x'), callTools({ tool: 'board.work' }), say('y')],
      {
        domains: [{ id: 'board', tools: [tool] }],
        ports: {
          validator: {
            compile: () => (offline ? Promise.reject(new Error('offline')) : () => []),
          },
        },
        reportsErrors: true,
      },
    );
    await f.session.send('Go');
    offline = false;
    await f.session.send('Go');
    expect(tool.runs).toHaveLength(1);
  });

  it.each([
    ['an error with a code of its own', Object.assign(new Error('offline'), { code: 'network' })],
    ['an error of a session', new AgentSessionError('timeout', 'late')],
    ['null', null],
  ])('are rejected if the validator throws %s', async (_name, error) => {
    const { runs, reason } = await called('{}', {
      ports: {
        validator: {
          compile: () => () => {
            throw error;
          },
        },
        reportError: () => {},
      },
    });
    expect(runs).toEqual([]);
    expect(reason).toBe('validator-unavailable');
  });

  it('are rejected if the validator throws at a value', async () => {
    const { runs, reason } = await called('{}', {
      ports: {
        validator: {
          compile: () => () => {
            throw new Error('broken');
          },
        },
        reportError: () => {},
      },
    });
    expect(runs).toEqual([]);
    expect(reason).toBe('validator-unavailable');
  });

  it('T13 with a recursive schema are checked to their whole depth', async () => {
    const cyclic = {
      type: 'object',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
      properties: { node: { $ref: '#/$defs/node' } },
    };
    const { runs } = await called('{"node":{"next":{"next":{}}}}', {}, cyclic);
    expect(runs).toHaveLength(1);
  });

  describe.each(['compiled', 'interpreted'] as const)('%s', (validator) => {
    const call = (argumentsText: string, pattern: string, reported: unknown[] = []) =>
      called(
        argumentsText,
        { ports: { validator, reportError: (error) => reported.push(error) } },
        { type: 'object', properties: { x: { type: 'string', pattern } } },
      );

    it('T13 a pattern with catastrophic backtracking neither blocks the page nor accepts wrong arguments', async () => {
      const wrong = await call(JSON.stringify({ x: `${'a'.repeat(1000)}!` }), '^(a+)+$');
      expect(wrong.runs).toEqual([]);
      expect(wrong.reason).toBe('invalid-arguments');
      expect(wrong.text).toContain('"x" must match ^(a+)+$');
      expect((await call('{"x":"aaa"}', '^(a+)+$')).runs).toHaveLength(1);
    });

    it('T13 a text that is too long for its pattern is an invalid argument', async () => {
      const { runs, reason, text } = await call(JSON.stringify({ x: 'a'.repeat(900_000) }), '^(a|b)+$');
      expect(runs).toEqual([]);
      expect(reason).toBe('invalid-arguments');
      expect(text).toContain('too long to be matched');
    });

    it('T13 a pattern that cannot be matched in limited time rejects the call, and the error port gets tool and pattern', async () => {
      const reported: unknown[] = [];
      const { runs, reason, text } = await call('{"x":"aa!"}', '^(a+)\\1+$', reported);
      expect(runs).toEqual([]);
      expect(reason).toBe('validator-unavailable');
      expect(text).toContain('could not be checked');
      expect(reported).toEqual([expect.objectContaining({ message: expect.stringContaining('board.work') })]);
      expect(String(reported[0])).toContain('the pattern ^(a+)\\1+$ at #/properties/x/pattern');
    });
  });
});

describe('the text for the model about arguments that do not fit', () => {
  it('says so if the tool takes no parameters', async () => {
    const { text } = await called('{"a":1}', {}, { type: 'object', additionalProperties: false });
    expect(text).toContain('It takes no parameters.');
  });
});

describe('a Standard Schema', () => {
  it('transforms, fills in defaults, and the executor gets its output', async () => {
    const schema = z.object({
      title: z.string().trim(),
      due: z.string().transform((text) => text.length),
      tags: z.array(z.string()).default(['none']),
    });
    const { runs, view } = await called('{"title":"  A ","due":"abc"}', {}, schema);
    expect(runs[0]?.args).toEqual({ title: 'A', due: 3, tags: ['none'] });
    // The history has the arguments as the model wrote them.
    expect(view).toMatchObject({ arguments: { title: '  A ', due: 'abc' } });
  });

  it('checks rules that JSON Schema cannot express, even asynchronously', async () => {
    const schema = z.object({ n: z.number().refine(async (n) => n % 2 === 0, 'must be even') });
    const { runs, text } = await called('{"n":3}', {}, schema);
    expect(runs).toEqual([]);
    expect(text).toMatch(/"n" must be even/);
  });

  it('rejects the call if it throws', async () => {
    const schema = z.object({
      n: z.number().transform(() => {
        throw new Error('broken');
      }),
    });
    const { runs, reason } = await called('{"n":3}', { ports: { reportError: () => {} } }, schema);
    expect(runs).toEqual([]);
    expect(reason).toBe('validator-unavailable');
  });
});

describe('Q11: arguments beyond 1,048,576 characters', () => {
  const long = 'x'.repeat(1_048_576);
  const piece = (delta: string): ProviderEvent => ({
    type: 'tool-call',
    index: 0,
    id: 'a',
    tool: 'board.work',
    delta,
  });

  it.each([
    ['in many pieces', unsafe(...Array.from({ length: 40 }, () => piece('y'.repeat(100_000))))],
    ['in one piece', unsafe(piece(`${long}x`))],
    [
      'inside an answer',
      finishWith('stop', callInside({ tool: 'board.work', argumentsText: `${long}x`, fragment: Infinity })),
    ],
  ] as const)('Q11: %s end the stream at once and fail the turn', async (_name, answer) => {
    const tool = spyTool('work');
    await using f = fixture([answer], { domains: [{ id: 'board', tools: [tool] }] });
    expect(await rejection(f.session.send('Go'))).toMatchObject({
      code: 'provider-contract',
      retry: 'never',
      message:
        'The model provider broke its contract: the arguments of a call of "board.work" are longer than 1048576 characters.',
    });
    expect(tool.runs).toEqual([]);
    expect(f.provider.streams[0]).toMatchObject({ aborted: true });
    expect(f.provider.streams[0]!.emitted).toBeLessThan(12);
    const [call] = f.session.turns.value[0]!.rounds[0]!.parts;
    if (call?.type === 'tool-call') expect(call.argumentsText.length).toBeLessThanOrEqual(1_048_576);
  });

  it('Q11: arguments of exactly that length run', async () => {
    const argumentsText = `{"a":"${'x'.repeat(1_048_576 - 8)}"}`;
    expect((await called(argumentsText)).runs).toHaveLength(1);
  });
});

describe('audit-R11 faulty arguments', () => {
  it('are quoted in the result, because the call in the history does not have them', async () => {
    const { text } = await called('{"title": "two\nlines"}');
    expect(text).toContain(String.raw`You wrote: "{\"title\": \"two\nlines\"}"`);
    expect(text).not.toMatch(/\.\./);
  });

  it.each([
    ['the beginning', 0],
    ['the middle', 5_000],
    ['the end', 9_990],
  ])('are quoted in the result as the 500 characters around the fault, at %s', async (_where, at) => {
    const words = 'word '.repeat(2_000);
    const faulty = `{"title": "${words.slice(0, at)}FAULT\n${words.slice(at)}"}`;
    const { text } = await called(faulty);
    expect(text).toContain('FAULT');
    expect(text.slice(text.indexOf('You wrote')).length).toBeLessThan(520);
    // No word is cut.
    expect(text).not.toMatch(/\b(w|wo|wor|ord|rd)\b/);
  });

  it('that are not an object, or were cut, are quoted too', async () => {
    expect((await called('[1, 2]')).text).toContain('You wrote: "[1, 2]"');
    const cut = await called(`{"title": "${'word '.repeat(500)}THE-END`);
    expect(cut.text).toContain('THE-END');
  });
});

describe.each(['compiled', 'interpreted'] as const)('audit-R11 a null, by the %s validator,', (validator) => {
  const parameters = {
    type: 'object',
    properties: {
      title: { type: 'string' },
      color: { type: 'string' },
      size: { enum: ['s', 'l'] },
      note: { type: ['string', 'null'] },
      card: { type: 'object', properties: { id: { type: 'string' } } },
      cards: { type: 'array', items: { type: 'object', properties: { id: { $ref: '#/$defs/id' } } } },
      place: {
        anyOf: [
          { type: 'object', properties: { column: { type: 'string' } }, required: ['kind'] },
          { type: 'number' },
        ],
      },
      list: { type: 'array', items: { type: 'string' } },
    },
    $defs: { id: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  };
  const ask = (args: object) =>
    called(JSON.stringify({ title: 'a', ...args }), { ports: { validator } } as never, parameters);

  it.each([
    [{ color: null }, {}],
    [{ size: null, note: null }, { note: null }],
    [{ card: { id: null } }, { card: {} }],
    [{ cards: [{ id: 'x' }, { id: null }] }, { cards: [{ id: 'x' }, {}] }],
    [{ place: { kind: 1, column: null } }, { place: { kind: 1 } }],
  ])('for an optional parameter is read as absent: %j', async (given, read) => {
    const { runs, text } = await ask(given);
    expect(text).not.toContain('not valid');
    expect(runs.map(({ args }) => args)).toEqual([{ title: 'a', ...read }]);
  });

  it.each([[{ title: null }], [{ list: [null] }], [{ color: 5 }], [{ color: null, size: 'x' }]])(
    'for a required parameter is refused, like any other fault: %j',
    async (given) => {
      const { runs, reason } = await ask(given);
      expect(runs).toEqual([]);
      expect(reason).toBe('invalid-arguments');
    },
  );
});
