// The output of `generate`: its value, its checks, and the requests that lead to it.
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type as arktype } from 'arktype';
import * as v from 'valibot';
import { beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { AgentSessionError, createAgentSession, type Message, type ToolSchema } from '@banister/session';
import { callTools, fail, finishWith, gate, say, scriptedProvider, settle, spyTool } from '@banister/testing';
import { filesLoaded, pngFile } from './files.js';
import { fixture, rejection } from './fixture.js';
import { generateLoaded } from './generate-loaded.js';

// Late code is loaded before a virtual clock could give up on it.
beforeAll(() => Promise.all([generateLoaded(), filesLoaded()]));

const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, note: { type: 'string' } },
  required: ['title'],
} as const;

const textsOf = (messages: readonly Message[] = []) =>
  messages.map(({ role, parts }) => [role, ...parts.map((part) => ('text' in part ? part.text : part.type))]);

/** The same answer in the mode of a provider, and as the arguments of a forced tool. */
const ways = [
  ['in the mode of the provider', true, (text: string) => say([...text])],
  [
    'with a forced tool',
    false,
    (text: string) => callTools('Well. ', { tool: 'banister.output', argumentsText: text, fragment: 1 }),
  ],
] as const;

describe('the result of generate', () => {
  it.each([
    ['a fence', '```json\n{"title": "Plan"}\n```'],
    ['a fence on one line', '```json {"title": "Plan"} ```'],
    ['a fence without a name, and white space', '\n  ~~~\r\n{"title": "Plan"}\r\n~~~ \n'],
    ['a byte order mark', '\uFEFF{"title": "Plan"}'],
    ['thinking', '<think>\nA {title}?\n</think>\n\n{"title": "Plan"}'],
    ['thinking whose tag the template opened', 'A title. </think>{"title": "Plan"}'],
    ['thinking and a fence', '<thinking>Hm.</thinking>\n```\n{"title": "Plan"}\n```'],
  ])('audit-R10 is read from inside %s, with one request', async (_around, text) => {
    await using f = fixture([say(text)], { scripted: { structuredOutput: true } });
    expect(await f.session.generate('Name it', schema)).toEqual({ title: 'Plan' });
    expect(f.provider.requests).toHaveLength(1);
    expect(f.session.currentText.value).toBe('');
    expect(textsOf(f.session.conversation.value.messages)).toContainEqual(['assistant', '{"title":"Plan"}']);
  });

  it.each([
    ['a sentence before it', 'Here it is: {"title": "Plan"}'],
    ['a fence beside words', 'Sure!\n```json\n{"title": "Plan"}\n```'],
    ['two fences', '```\n{"title": "A"}\n```\n```\n{"title": "B"}\n```'],
  ])('audit-R10 is not guessed: %s', async (_what, text) => {
    await using f = fixture([say(text), say(text)], { scripted: { structuredOutput: true } });
    expect(await rejection(f.session.generate('Name it', schema))).toMatchObject({
      code: 'structured-output-invalid',
    });
  });

  it('audit-R10 a value that contains a code fence or a thinking tag is not changed', async () => {
    const title = '```\n<think>x</think>\n```';
    await using f = fixture([say(JSON.stringify({ title }))], { scripted: { structuredOutput: true } });
    expect(await f.session.generate('Name it', schema)).toEqual({ title });
  });

  it('audit-R10 if a server refuses `response_format`, the error names the option that avoids it', async () => {
    const refusal = new AgentSessionError(
      'invalid-configuration',
      'The server refused the request. The server said: response_format is not supported',
    );
    await using f = fixture([fail(refusal), fail(refusal)], { scripted: { structuredOutput: true } });
    const error = await rejection(f.session.generate('Name it', schema));
    expect(error).toMatchObject({ code: 'invalid-configuration', retry: 'never' });
    expect(error.message).toContain('structuredOutput: false');
    expect((await rejection(f.session.send('Hi'))).message).toBe(refusal.message);
  });

  it.each(ways)(
    'AK-X9 is the checked value, and joins path and conversation as JSON text: %s',
    async (_name, structuredOutput, answer) => {
      await using f = fixture([answer('{"title": "Plan"}')], { scripted: { structuredOutput } });
      const output = await f.session.generate('Name it', schema);
      expectTypeOf(output.title).toBeString();
      expect(output).toEqual({ title: 'Plan' });
      const { turns, headTurnId, conversation, currentText, lastOutcome, undoEntries } = f.session.state;
      expect(turns).toMatchObject([
        {
          id: headTurnId,
          status: 'completed',
          structured: { schema },
          rounds: [{ parts: [{ type: 'text', text: '{"title":"Plan"}' }] }],
        },
      ]);
      expect(textsOf(conversation.messages)).toEqual([
        ['user', 'Name it'],
        ['assistant', '{"title":"Plan"}'],
      ]);
      expect(currentText).toBe('');
      expect(lastOutcome).toMatchObject({ status: 'completed', rounds: 1 });
      expect(undoEntries).toEqual([]);
    },
  );

  it('is read by the next turn of the chat', async () => {
    await using f = fixture([say('{"title":"Plan"}'), say('Fine.')]);
    await f.session.generate('Name it', schema);
    await f.session.send('And now?');
    expect(textsOf(f.provider.requests[1]?.messages)).toEqual([
      ['user', 'Name it'],
      ['assistant', '{"title":"Plan"}'],
      ['user', 'And now?'],
    ]);
  });

  it('may refer to files, which are in the request and in the conversation', async () => {
    await using f = fixture([say('{"title":"A pixel"}')]);
    expect(await f.session.generate({ text: 'Name it', files: [pngFile()] }, schema)).toEqual({
      title: 'A pixel',
    });
    expect(f.provider.requests[0]?.messages).toMatchObject([
      { parts: [{ text: 'Name it' }, { type: 'image', mediaType: 'image/png' }] },
    ]);
    expect(textsOf(f.session.conversation.value.messages)[0]).toEqual(['user', 'Name it', 'attachment']);
  });

  it('AK-X11 leaves out an optional property that the model wrote as null, and keeps a required null', async () => {
    const answer = { title: null, note: null, inner: { a: null, b: null }, list: [{ a: null }], other: null };
    const inner = { type: 'object', properties: { a: { type: ['string', 'null'] }, b: { type: 'null' } } };
    await using f = fixture([say(JSON.stringify(answer))]);
    const output = await f.session.generate('Go', {
      type: 'object',
      properties: {
        title: { type: ['string', 'null'] },
        note: { type: 'string' },
        inner: { ...inner, required: ['b'] },
        list: { type: 'array', items: { $ref: '#/$defs/one' } },
      },
      required: ['title'],
      $defs: { one: inner },
    } as ToolSchema);
    expect(output).toEqual({ title: null, inner: { b: null }, list: [{}], other: null });
  });

  it.each([
    ['a dependency', { dependentRequired: { kind: ['x'] } }],
    ['a condition', { if: { required: ['kind'] }, then: { required: ['x'] } }],
  ])('keeps the null that %s requires, with one request', async (_name, rule) => {
    const x = { type: ['string', 'null'] } as const;
    const given = { type: 'object', properties: { kind: { type: 'string' }, x }, ...rule } as const;
    await using f = fixture([say('{"kind":"a","x":null}')]);
    expect(await f.session.generate('Go', given)).toEqual({ kind: 'a', x: null });
    expect(f.provider.requests).toHaveLength(1);
  });

  it('keeps a null that one of several alternatives requires', async () => {
    const kinds = [
      { type: 'object', properties: { kind: { const: 'a' }, x: { type: 'null' } }, required: ['kind', 'x'] },
      { type: 'object', properties: { kind: { const: 'b' }, x: { type: 'string' } }, required: ['kind'] },
    ];
    const list = [
      { kind: 'a', x: null },
      { kind: 'b', x: null },
    ];
    await using f = fixture([say(JSON.stringify({ list }))]);
    const given: ToolSchema = {
      type: 'object',
      properties: { list: { type: 'array', items: { anyOf: kinds } } },
      required: ['list'],
    };
    expect(await f.session.generate('Go', given)).toEqual({ list: [{ kind: 'a', x: null }, { kind: 'b' }] });
  });
});

describe('the schema of generate', () => {
  const libraries: readonly (readonly [string, ToolSchema])[] = [
    ['zod', z.object({ title: z.string(), size: z.number().max(9).optional() })],
    [
      'valibot, with its converter',
      toStandardJsonSchema(
        v.object({ title: v.string(), size: v.optional(v.pipe(v.number(), v.maxValue(9))) }),
      ),
    ],
    ['arktype', arktype({ title: 'string', 'size?': 'number <= 9' })],
  ];
  it.each(libraries)('AK-X8 may come from a library: %s', async (_name, given) => {
    await using f = fixture([say('{"title":"A","size":12}'), say('{"title":"A","size":5}')]);
    expect(await f.session.generate('Go', given)).toEqual({ title: 'A', size: 5 });
    expect(f.provider.requests[0]?.output?.schema).toMatchObject({ type: 'object', required: ['title'] });
  });

  it('rules of a library are checked; its transformations change only the result', async () => {
    const given = z.object({
      day: z.string().refine((day) => day !== 'Sunday', 'must be a working day'),
      at: z.string().transform((at) => new Date(at)),
    });
    const [sunday, monday] = ['Sunday', 'Monday'].map((day) => JSON.stringify({ day, at: '2026-11-23' }));
    await using f = fixture([say(sunday!), say(monday!)]);
    const output = await f.session.generate('When?', given);
    expectTypeOf(output).toEqualTypeOf<{ day: string; at: Date }>();
    expect(output).toEqual({ day: 'Monday', at: new Date('2026-11-23') });
    expect(textsOf(f.provider.requests[1]?.messages).at(-1)?.[1]).toContain('"day" must be a working day');
    expect(textsOf(f.session.state.conversation.messages).at(-1)).toEqual(['assistant', monday]);
  });

  const refused: readonly (readonly [string, unknown])[] = [
    ['valibot without its converter', v.object({ title: v.string() })],
    ['a root that is a list', { type: 'array', items: { type: 'string' } }],
    ['a root of a library that is a text', z.string()],
    ['a value of a library that JSON Schema cannot express', z.object({ at: z.date() })],
    ['no schema', 'title'],
    ['a schema that cannot be checked against', { type: 'object', properties: { a: { type: 'nothing' } } }],
  ];
  it.each(refused)(
    'AK-X13 rejects invalid-configuration before anything happens: %s',
    async (_name, given) => {
      await using f = fixture([]);
      expect(await rejection(f.session.generate('Go', given as ToolSchema))).toMatchObject({
        code: 'invalid-configuration',
      });
      expect(f.observed.operations).toEqual([]);
    },
  );
});

describe('a schema that is refused', () => {
  it('with a list at its root: the message says how to wrap the list', async () => {
    await using f = fixture([]);
    const given = { type: 'array', items: { type: 'string' } } as const;
    expect((await rejection(f.session.generate('Go', given))).message).toBe(
      'The output of generate: schema: its root is no object: wrap it, as { items: … }.',
    );
  });

  it('by its library: the message and the cause contain the reason', async () => {
    await using f = fixture([]);
    const error = await rejection(f.session.generate('Go', z.object({ at: z.date() })));
    const cause = error.cause as Error;
    expect(cause.message).toBe('Date cannot be represented in JSON Schema');
    expect(error.message).toBe(
      `The output of generate: schema: the schema library cannot express it as JSON Schema: ${cause.message}.`,
    );
  });
});

describe('a schema whose check cannot be loaded', () => {
  it('rejects with the error of the fetch, and does not blame the schema', async () => {
    const offline = new AgentSessionError('network', 'No connection.');
    await using f = fixture([], { ports: { validator: { compile: () => Promise.reject(offline) } } });
    expect(await rejection(f.session.generate('Go', schema))).toMatchObject({ code: 'network' });
    expect(f.observed.operations).toEqual([]);
  });
});

describe('the request of generate', () => {
  const add = spyTool('add');
  const board = { id: 'board', tools: [add, spyTool('other')] };

  it('has the schema in the mode of the provider, and no tool', async () => {
    await using f = fixture([say('{"title":"A"}')], { domains: [board] });
    await f.session.generate('Go', schema);
    const [request] = f.provider.requests;
    expect(request).toMatchObject({ tools: [], output: { schema } });
    expect(request).not.toHaveProperty('toolChoice');
  });

  it('has one tool that the model has to call, if the provider has no mode', async () => {
    const answer = callTools({ tool: 'banister.output', args: { title: 'A' } });
    await using f = fixture([answer], { domains: [board], scripted: { structuredOutput: false } });
    await f.session.generate('Go', schema);
    const [request] = f.provider.requests;
    expect(request?.tools.map(({ name, parameters }) => ({ name, parameters }))).toEqual([
      { name: 'banister.output', parameters: schema },
    ]);
    expect(request?.toolChoice).toEqual({ tool: 'banister.output' });
    expect(request).not.toHaveProperty('output');
    expect(add.runs).toEqual([]);
  });

  it('keeps the definitions of tools that the conversation names, but none may be called', async () => {
    const script = [callTools({ tool: 'board.add', args: {} }), say('Done.'), say('{"title":"A"}')];
    await using f = fixture(script, { domains: [board] });
    await f.session.send('Add');
    await f.session.generate('Go', schema);
    const request = f.provider.requests[2];
    expect(request?.tools.map(({ name }) => name)).toEqual(['board.add']);
    expect(request?.toolChoice).toBe('none');
  });

  it('passes the hooks beforeRequest, which cannot change the schema', async () => {
    const brief = (system: string) => ({
      name: 'brief',
      beforeRequest: (request: object) => ({ ...request, system }) as never,
    });
    await using f = fixture([say('{"title":"A"}')], { middleware: [brief('Be brief.')] });
    await f.session.generate('Go', schema);
    expect(f.provider.requests[0]?.system).toBe('Be brief.');
    f.session.configure({
      middleware: [
        { name: 'schema', beforeRequest: (request) => ({ ...request, output: { schema: {} } }) as never },
      ],
    });
    expect(await rejection(f.session.generate('Go', schema))).toMatchObject({ code: 'egress-refused' });
  });

  it('AK-X12 rejects `unsupported` at once if the provider has neither a mode nor a forced tool', async () => {
    await using f = fixture([], { scripted: { structuredOutput: false, toolChoices: ['none'] } });
    expect(await rejection(f.session.generate('Go', schema))).toMatchObject({ code: 'unsupported' });
    expect(f.observed.operations).toEqual([]);
  });
});

describe('partialOutput', () => {
  it.each(ways)(
    'grows with each piece, and never contradicts the result: %s',
    async (_name, native, answer) => {
      await using f = fixture([answer('{"title":"Plan","note":"B\\u00e4r","size":12}')], {
        scripted: { structuredOutput: native },
      });
      const seen: unknown[] = [];
      f.session.partialOutput.subscribe((value) => seen.push(structuredClone(value)));
      const final = await f.session.generate('Go', schema);
      expect(final).toEqual({ title: 'Plan', note: 'Bär', size: 12 });
      const partial = seen.slice(1) as Record<string, unknown>[];
      expect(
        partial.map((value) => value['title'] ?? '').filter((title, i, all) => title !== all[i - 1]),
      ).toEqual(['', 'P', 'Pl', 'Pla', 'Plan']);
      for (const value of partial)
        for (const [key, field] of Object.entries(value))
          expect(String((final as Record<string, unknown>)[key])).toContain(String(field));
      expect(f.session.state.partialOutput).toEqual(final);
      expect(
        f.observed.operations.filter(({ type }) => type === 'text' || type === 'toolCallPartial'),
      ).toEqual([]);
    },
  );

  it('is null if the answer is not an object, and after the next turn has begun', async () => {
    const wait = gate();
    await using f = fixture([
      say(['["a"', ',"b"]']),
      say(['Sure: {"title":', '"A"}']),
      say(['H', wait, 'i']),
    ]);
    const seen = new Set<unknown>();
    f.session.partialOutput.subscribe((value) => seen.add(value));
    await rejection(f.session.generate('Go', schema));
    expect([...seen]).toEqual([null]);
    const sent = f.session.send('Hi');
    await wait.reached;
    expect(f.session.state).toMatchObject({ partialOutput: null, currentText: 'H' });
    wait.open();
    await sent;
  });

  it('begins again with the answer after a repair', async () => {
    const wait = gate();
    await using f = fixture([say('{"title":7}'), say(['{"title":"A', wait, '"}'])]);
    const output = f.session.generate('Go', schema);
    await wait.reached;
    expect(f.session.state.partialOutput).toEqual({ title: 'A' });
    wait.open();
    expect(await output).toEqual({ title: 'A' });
  });
});

describe('an answer that does not fit', () => {
  it('AK-X10 is requested once more with its faults; only the request contains both', async () => {
    await using f = fixture([say('{"title":7}'), say('{"title":"A"}')]);
    expect(await f.session.generate('Go', schema)).toEqual({ title: 'A' });
    const [, second] = f.provider.requests;
    expect(textsOf(second?.messages).slice(0, 2)).toEqual([
      ['user', 'Go'],
      ['assistant', '{"title":7}'],
    ]);
    expect(textsOf(second?.messages)[2]?.[1]).toMatch(/does not fit its JSON Schema: "title" must be/);
    expect(textsOf(f.session.state.conversation.messages)).toEqual([
      ['user', 'Go'],
      ['assistant', '{"title":"A"}'],
    ]);
    expect(f.session.state.lastOutcome).toMatchObject({ status: 'completed', rounds: 2 });
  });

  it('is not given to `afterResponse`, which gets only the fitting output', async () => {
    const seen: string[] = [];
    await using f = fixture([say('{"title":7}'), say('{"title":"A"}')], {
      middleware: [{ name: 'watch', afterResponse: ({ text }) => void seen.push(text) }],
    });
    await f.session.generate('Go', schema);
    expect(seen).toEqual(['{"title":"A"}']);
  });

  it('is not repaired if the limits permit no further round', async () => {
    await using f = fixture([say('{}')]);
    const error = await rejection(f.session.generate('Go', schema, { limits: { maxRounds: 1 } }));
    expect(error).toMatchObject({ code: 'structured-output-invalid', details: { reason: 'schema' } });
  });

  it('rejects without a repair if the check of the library throws', async () => {
    const given = z.object({ title: z.string() }).transform(() => {
      throw new Error('broken');
    });
    const provider = scriptedProvider([say('{"title":"A"}')]);
    await using session = createAgentSession({ provider });
    const error = await rejection(session.generate('Go', given));
    expect(error).toMatchObject({
      code: 'structured-output-invalid',
      retry: 'never',
      details: { reason: 'check-failed' },
    });
  });

  it('a second call of the forced tool is an error', async () => {
    const call = { tool: 'banister.output', args: { title: 'Plan' } };
    await using f = fixture([callTools(call, call)], { scripted: { structuredOutput: false } });
    expect(await rejection(f.session.generate('Name it', schema))).toMatchObject({
      code: 'structured-output-invalid',
      details: { reason: 'tool-call' },
    });
  });

  it('a tool that the model calls instead does not run', async () => {
    const add = spyTool('add');
    await using f = fixture([callTools({ tool: 'board.add', args: {} })], {
      domains: [{ id: 'board', tools: [add] }],
    });
    expect(await rejection(f.session.generate('Go', schema))).toMatchObject({
      code: 'structured-output-invalid',
      details: { reason: 'tool-call' },
    });
    expect(add.runs).toEqual([]);
    await settle();
  });

  it.each(['length', 'refusal', 'content-filter'] as const)(
    'rejects an answer that ended with %s, even if its text fits',
    async (reason) => {
      await using f = fixture([finishWith(reason, '{"title":"A"}')]);
      const error = await rejection(f.session.generate('Go', schema));
      expect(error).toMatchObject({ code: 'structured-output-invalid', details: { reason } });
      expect(f.session.state).toMatchObject({
        turns: [],
        partialOutput: null,
        conversation: { messages: [] },
      });
    },
  );
});

describe('every truncation of an answer', () => {
  const whole = '{"title": "A \\"B\\" \\u00e4", "note": null, "list": [1, {"a": true}]}';
  it.each(ways)(
    'AK-X7 gives valid data, or an error and no turn: %s',
    async (_name, structuredOutput, answer) => {
      for (let end = 0; end <= whole.length; end++) {
        const cut = answer(whole.slice(0, end));
        await using f = fixture([cut, cut], { scripted: { structuredOutput }, looseScript: true });
        const given = f.session.generate('Go', schema);
        if (end === whole.length)
          expect(await given).toMatchObject({ title: 'A "B" ä', list: [1, { a: true }] });
        else {
          expect(await rejection(given)).toMatchObject({ code: 'structured-output-invalid' });
          expect(f.session.state).toMatchObject({
            turns: [],
            conversation: { messages: [] },
            headTurnId: null,
          });
        }
      }
    },
  );
});
