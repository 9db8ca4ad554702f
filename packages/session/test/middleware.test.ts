// The hooks, their order, their effects, and their failures.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  confirmTools,
  createAgentSession,
  failed,
  type Message,
  type Middleware,
  type OperationOf,
} from '@banister/session';
import { outputGuard } from '@banister/session/filters';
import type { MessagePart, ProviderRequest } from '@banister/provider';
import type { MiddlewareActed } from '@banister/session/operations';
import {
  callInside,
  callTools,
  fail,
  finishWith,
  gate,
  gatedTool,
  say,
  scriptedProvider,
  settle,
  spyTool,
} from '@banister/testing';
import {
  atOperation,
  fixture,
  outline,
  rejection,
  resultTexts,
  type Fixture,
  type FixtureOptions,
} from './fixture.js';
import { hooksLoaded } from './hooks-loaded.js';

beforeAll(hooksLoaded);

const call = (title = 'A') => ({ tool: 'board.work', args: { title } });
const done = say('Done.');

function board(work = spyTool('work')) {
  return [{ id: 'board', tools: [work] }];
}

/** The operations about middleware. */
function acted({ observed }: Fixture): readonly OperationOf<'middlewareActed'>[] {
  return observed.operations.filter((one) => one.type === 'middlewareActed');
}

function actsOf(f: Fixture, hook: MiddlewareActed['hook']) {
  return acted(f)
    .filter((one) => one.hook === hook)
    .flatMap(({ acts }) => acts);
}

const texts = ({ messages }: ProviderRequest) => outline(messages);

/** Answers `Go` with one call and an end. */
const withCall = (middleware: readonly Middleware[], options: FixtureOptions = {}) =>
  fixture([callTools(call()), done], { domains: board(), middleware, ...options });

describe('the hooks of middleware', () => {
  it.each(['beforeRequest', 'afterResponse', 'afterTurn'] as const)(
    'C1 no hook is called after %s that answers after a cancel',
    async (hook) => {
      const wait = gate();
      const called: string[] = [];
      await using f = fixture([done], {
        middleware: [
          { name: 'late', [hook]: () => wait.pass() },
          { name: 'next', [hook]: () => void called.push('next') },
        ] as readonly Middleware[],
        looseScript: true,
      });
      const turn = rejection(f.session.send('Go'));
      await wait.reached;
      await f.session.cancel();
      wait.open();
      await settle();
      expect(await turn).toMatchObject({ code: 'cancelled' });
      expect(called).toEqual([]);
    },
  );

  it('`onToolError` gets the number of failures of the same tool only', async () => {
    const seen: string[] = [];
    const breaks = (name: string) =>
      spyTool(name, {
        execute: () => {
          throw new Error('No.');
        },
      });
    const [a, b] = [{ tool: 'board.a' }, { tool: 'board.b' }];
    await using f = fixture([callTools(a, b), callTools(a), done], {
      domains: [{ id: 'board', tools: [breaks('a'), breaks('b')] }],
      middleware: [
        { name: 'counts', onToolError: ({ call, failures }) => void seen.push(`${call.tool} ${failures}`) },
      ],
    });
    await f.session.send('Go');
    expect(seen).toEqual(['board.a 1', 'board.b 1', 'board.a 2']);
  });

  it('hooks are called in list order, each with the result of the previous hook', async () => {
    const seen: string[] = [];
    const adds = (name: string): Middleware => ({
      name,
      beforeRequest: (request) => {
        seen.push(`${name}: ${request.system}`);
        return { ...request, system: `${request.system}${name}` };
      },
    });
    await using f = fixture([done], { middleware: [adds('1'), adds('2'), adds('3')], role: '0' });
    await f.session.send('Go');
    expect(seen).toEqual(['1: 0', '2: 01', '3: 012']);
    expect(f.provider.requests[0]!.system).toBe('0123');
    expect(actsOf(f, 'beforeRequest').map(({ middleware }) => middleware)).toEqual(['1', '2', '3']);
  });

  it('DF-53 are called at each place of a turn, and each place has one operation', async () => {
    const seen: string[] = [];
    const note = (name: string) => () => void seen.push(name);
    const watch: Middleware = {
      name: 'watch',
      beforeRequest: note('beforeRequest'),
      afterResponse: note('afterResponse'),
      beforeToolCalls: note('beforeToolCalls'),
      afterToolCall: note('afterToolCall'),
      onToolError: note('onToolError'),
      afterTurn: note('afterTurn'),
    };
    const breaks = spyTool('work', { execute: () => failed('No.') });
    await using f = withCall([watch], { domains: board(breaks) });
    await f.session.send('Go');
    const places = [
      'beforeRequest',
      'afterResponse',
      'beforeToolCalls',
      'afterToolCall',
      'onToolError',
      'beforeRequest',
      'afterResponse',
      'afterTurn',
    ];
    expect(seen).toEqual(places);
    expect(acted(f).map(({ hook }) => hook)).toEqual(places);
    expect(acted(f).flatMap(({ acts }) => acts)).toEqual([]);
  });

  it('may be asynchronous, and are awaited', async () => {
    const slow: Middleware = {
      name: 'slow',
      beforeRequest: async (request) => {
        await settle(3);
        return { ...request, system: 'late' };
      },
    };
    await using f = fixture([done], { middleware: [slow] });
    await f.session.send('Go');
    expect(f.provider.requests[0]!.system).toBe('late');
  });

  it('are called with the turn, the round and a signal', async () => {
    const contexts: string[] = [];
    const watch: Middleware = {
      name: 'watch',
      beforeRequest: (_request, { turnId, round, signal }) =>
        void contexts.push(`${turnId} ${round} ${String(signal.aborted)}`),
    };
    await using f = withCall([watch]);
    await f.session.send('Go');
    const { id } = f.session.turns.value[0]!;
    expect(contexts).toEqual([`${id} 1 false`, `${id} 2 false`]);
  });

  it('are methods of their object', async () => {
    class Counting implements Middleware {
      readonly name = 'counting';
      requests = 0;
      beforeRequest(): void {
        this.requests++;
      }
    }
    const counting = new Counting();
    await using f = fixture([done], { middleware: [counting] });
    await f.session.send('Go');
    expect(counting.requests).toBe(1);
  });

  it('are a snapshot for each turn: `configure` affects only the next turn', async () => {
    const seen: string[] = [];
    const watch = (name: string): Middleware => ({ name, beforeRequest: () => void seen.push(name) });
    await using f = fixture([callTools(call()), done, done, done], {
      domains: board(),
      middleware: [watch('old')],
    });
    const turn = f.session.send('Go');
    f.session.configure({ middleware: [watch('new')] });
    await turn;
    await f.session.send('More');
    f.session.configure({ middleware: [] });
    await f.session.send('Last');
    expect(seen).toEqual(['old', 'old', 'new']);
    expect(f.observed.operations.filter((one) => one.type === 'configured')).toMatchObject([
      { changed: ['middleware'] },
      { changed: ['middleware'] },
    ]);
  });

  it('do not delay a cancel: the wait ends at once, and the signal fires', async () => {
    let signal: AbortSignal | undefined;
    const hangs: Middleware = {
      name: 'hangs',
      beforeRequest: (_request, context) => {
        ({ signal } = context);
        return new Promise(() => {});
      },
    };
    await using f = fixture([], { middleware: [hangs] });
    const turn = rejection(f.session.send('Go'));
    await settle();
    await f.session.cancel();
    expect((await turn).code).toBe('cancelled');
    expect(signal?.aborted).toBe(true);
    expect(f.provider.requests).toHaveLength(0);
  });

  it('without a name for the middleware are refused at once', () => {
    const middleware = [{ beforeRequest: () => {} } as unknown as Middleware];
    expect(() => createAgentSession({ provider: scriptedProvider([]), middleware })).toThrow(
      /middleware\[0\]\.name/,
    );
  });

  it.each<[string, unknown[], RegExp]>([
    ['with a misspelt hook', [{ name: 'typo', beforeRequests: () => {} }], /"typo" has none of the hooks/],
    ['with a hook that is no function', [{ name: 'text', beforeRequest: 'no' }], /beforeRequest of "text"/],
    [
      'with a redact that is no function',
      [{ name: 'text', beforeRequest: () => {}, redact: 'no' }],
      /redact of "text"/,
    ],
    [
      'that is there twice',
      [outputGuard({ check: () => null }), outputGuard({ check: () => null })],
      /twice/,
    ],
  ])('of a middleware %s fail the turn before anything is sent', async (_name, middleware, message) => {
    await using f = fixture([], { middleware: middleware as Middleware[] });
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe('invalid-configuration');
    expect(error.message).toMatch(message);
    expect(f.provider.requests).toHaveLength(0);
  });
});

describe('beforeRequest', () => {
  it('AK-Z4 changes the request and not the conversation: seed regression 14, redaction changes the request only', async () => {
    const redacts: Middleware = {
      name: 'redacts',
      beforeRequest: (request) => ({
        ...request,
        messages: request.messages.map((message) => ({
          ...message,
          parts: message.parts.map((part) => (part.type === 'text' ? { ...part, text: 'xxx' } : part)),
        })),
      }),
    };
    await using f = fixture([done], { middleware: [redacts] });
    await f.session.send('My name is Ada');
    expect(texts(f.provider.requests[0]!)).toEqual(['user: xxx']);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: My name is Ada',
      'assistant: Done.',
    ]);
  });

  it('AK-Z1 AK-Z2 `beforeRequest` is called before every request, and the operation has the request as it was sent', async () => {
    const signs: Middleware = {
      name: 'signs',
      beforeRequest: (request, { round }) => ({ ...request, system: `Round ${round}` }),
    };
    await using f = withCall([signs]);
    await f.session.send('Go');
    const sent = f.observed.operations.flatMap((one) =>
      one.type === 'modelCallStarted' ? [one.request?.system] : [],
    );
    expect(sent).toEqual(['Round 1', 'Round 2']);
    expect(f.provider.requests.map(({ system }) => system)).toEqual(sent);
  });

  it('all attempts send the same request', async () => {
    let calls = 0;
    const counts: Middleware = { name: 'counts', beforeRequest: () => void calls++ };
    await using f = fixture([fail('network'), done], { middleware: [counts] });
    const turn = f.session.send('Go');
    await f.clock.advance(10_000);
    await turn;
    expect(calls).toBe(1);
    expect(f.provider.requests[0]).toBe(f.provider.requests[1]);
  });

  it('AK-Z3 tools and all other fields of a request cannot be changed', async () => {
    for (const change of [
      { tools: [] },
      { idempotencyKey: 'mine' },
      { maxOutputTokens: 5 },
      { toolChoice: 'none' as const },
    ]) {
      await using f = fixture([], {
        domains: board(),
        middleware: [{ name: 'bold', beforeRequest: (request) => ({ ...request, ...change }) }],
      });
      const error = await rejection(f.session.send('Go'));
      expect(error.code).toBe('egress-refused');
      expect(error.message).toContain(Object.keys(change)[0]);
      expect(f.provider.requests).toHaveLength(0);
    }
  });

  it.each<[string, (request: ProviderRequest) => unknown]>([
    ['a role that does not exist', ({ messages }) => [{ ...messages[0]!, role: 'system' }]],
    ['an unknown part', ({ messages }) => [{ ...messages[0]!, parts: [{ type: 'video' }] }]],
    ['a message without parts', ({ messages }) => [{ ...messages[0]!, parts: [] }]],
    [
      'an answer of the model at the end',
      ({ messages }) => [...messages, { id: 'x', role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] }],
    ],
    [
      'a result without its call',
      ({ messages }) => [
        { ...messages[0]!, parts: [{ type: 'tool-result', callId: 'x', outcome: 'success', content: [] }] },
      ],
    ],
    [
      'a call without its result',
      ({ messages }) => [
        ...messages,
        {
          id: 'x',
          role: 'assistant',
          parts: [{ type: 'tool-call', id: 'y', tool: 'board.work', argumentsText: '{}', arguments: {} }],
        },
        { ...messages[0]!, id: 'z' },
      ],
    ],
    [
      'a call with the id of another one',
      ({ messages }) => {
        const toolCall = {
          type: 'tool-call',
          id: 'y',
          tool: 'board.work',
          argumentsText: '{}',
          arguments: {},
        };
        const pair = [
          { id: 'x', role: 'assistant', parts: [toolCall] },
          {
            id: 'z',
            role: 'user',
            parts: [{ type: 'tool-result', callId: 'y', outcome: 'success', content: [] }],
          },
        ];
        return [...messages, ...pair, ...pair];
      },
    ],
    ['no message', () => []],
    ['messages that are no list', () => 'Hi'],
  ])('is refused with %s', async (_name, messages) => {
    await using f = fixture([], {
      middleware: [
        { name: 'odd', beforeRequest: (request) => ({ ...request, messages: messages(request) }) as never },
      ],
    });
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe('egress-refused');
    expect(error.details).toEqual({ middleware: 'odd' });
    expect(f.provider.requests).toHaveLength(0);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
    expect(actsOf(f, 'beforeRequest').at(-1)).toMatchObject({ middleware: 'odd', did: 'failed' });
  });

  it('a result that lacks a field is refused; a result that equals the input counts as unchanged', async () => {
    const some: Middleware = {
      name: 'some',
      beforeRequest: ({ system, messages }) => ({ system, messages }) as never,
    };
    await using f = fixture([done], { domains: board(), middleware: [some] });
    expect((await rejection(f.session.send('Go'))).message).toContain(
      'only "system" and "messages" may be changed',
    );
    expect(f.provider.requests).toHaveLength(0);
    f.session.configure({ middleware: [{ name: 'same', beforeRequest: (request) => request }] });
    await f.session.send('Go');
    expect(acted(f).at(-1)!.acts).toEqual([]);
  });

  it('returns a request that is frozen at every depth', async () => {
    const copies: Middleware = {
      name: 'copies',
      beforeRequest: (request) => ({ ...request, messages: structuredClone(request.messages) }),
    };
    await using f = fixture([done], { middleware: [copies] });
    await f.session.send('Go');
    expect(changeable(f.provider.requests[0], 'request')).toEqual([]);
  });

  describe('in a conversation with a call', () => {
    /** The messages of the second request, as another hook returns them behind one that changes another text. */
    async function refused(change: (messages: readonly Message[]) => readonly Message[]) {
      await using f = fixture([callTools(call()), done], { domains: board(), looseScript: true });
      await f.session.send('Go');
      const polite: Middleware = {
        name: 'polite',
        beforeRequest: (request) => ({ ...request, system: 'Answer politely.' }),
      };
      const odd: Middleware = {
        name: 'odd',
        beforeRequest: (request) => ({ ...request, messages: change(request.messages) }),
      };
      f.session.configure({ middleware: [polite, odd] });
      const { code, details, message } = await rejection(f.session.send('More'));
      expect({ code, details }).toEqual({ code: 'egress-refused', details: { middleware: 'odd' } });
      expect(f.provider.requests).toHaveLength(2);
      return message;
    }

    it('a result without the call, or without its tool result, is refused', async () => {
      const others = (at: number) => (messages: readonly Message[]) => messages.toSpliced(at, 1);
      for (const at of [1, 2])
        expect(await refused(others(at))).toContain('do not answer the calls before it');
    });

    it('a result with a duplicate call, with the same or another tool name, is refused', async () => {
      const twice = ([user, calls, results, ...rest]: readonly Message[]) => [
        user!,
        calls!,
        results!,
        calls!,
        results!,
        ...rest,
      ];
      const copied = (messages: readonly Message[]) => [
        ...messages,
        ...messages.slice(1, 3).map((message) => ({ ...message, id: `${message.id}-2` })),
      ];
      for (const change of [twice, copied])
        expect(await refused(change)).toContain('two tool calls have one id');
    });

    it('a result with a hole in a list, or in another order, is refused', async () => {
      const hole = (messages: readonly Message[]) => {
        const list = [...messages];
        delete list[1];
        return list;
      };
      await refused(hole);
      expect(await refused((messages) => messages.toReversed())).toContain(
        'do not answer the calls before it',
      );
    });
  });

  it.each([
    ['null', null],
    ['a number', 42],
    ['a request without messages', { system: 'Help.' }],
    ['a request without the text system', { messages: [] }],
    ['messages in another form', { system: 'Help.', messages: { length: 1 } }],
  ])('a result that is %s is refused, because it is not a request', async (_name, answer) => {
    await using f = fixture([], { middleware: [{ name: 'odd', beforeRequest: () => answer as never }] });
    const error = await rejection(f.session.send('Go'));
    expect(error.message).toBe(
      'The middleware "odd" refused the request: it returned no request: a list of messages and a text "system" are missing.',
    );
  });

  it('a signed part may be left out, but not changed', async () => {
    const thought = finishWith('stop', { type: 'thinking', delta: 'Hm.', signature: 'sig' }, 'Hello.');
    const edit = (text: string | null): Middleware => ({
      name: 'edits',
      beforeRequest: (request) => ({
        ...request,
        messages: request.messages.map((message) => ({
          ...message,
          parts: message.parts.flatMap((part): readonly MessagePart[] =>
            part.type === 'thinking' ? (text === null ? [] : [{ ...part, text }]) : [part],
          ),
        })),
      }),
    });
    await using f = fixture([thought, done], { looseScript: true });
    await f.session.send('Go');
    expect(f.session.conversation.value.messages[1]!.parts[0]).toMatchObject({ signature: 'sig' });
    f.session.configure({ middleware: [edit('Other.')] });
    expect((await rejection(f.session.send('More'))).message).toMatch(/signed or opaque part was changed/);
    f.session.configure({ middleware: [edit(null)] });
    await f.session.send('More');
    expect(texts(f.provider.requests.at(-1)!)[1]).toBe('assistant: Hello.');
  });

  it('OP-32 may add a call with its result, only to the request', async () => {
    const recalls: Middleware = {
      name: 'recalls',
      beforeRequest: (request) => ({
        ...request,
        messages: [
          ...request.messages,
          {
            id: 'recall',
            role: 'assistant',
            parts: [{ type: 'tool-call', id: 'r', tool: 'board.work', argumentsText: '{}', arguments: {} }],
          },
          {
            id: 'recalled',
            role: 'user',
            parts: [
              {
                type: 'tool-result',
                callId: 'r',
                outcome: 'success',
                content: [{ type: 'text', text: 'Ada' }],
              },
            ],
          },
        ],
      }),
    };
    await using f = fixture([done], { middleware: [recalls], domains: board() });
    await f.session.send('Who am I?');
    expect(texts(f.provider.requests[0]!)).toEqual([
      'user: Who am I?',
      'assistant: call board.work',
      'user: result success',
    ]);
    expect(f.session.conversation.value.messages).toHaveLength(2);
  });
});

/** The ways in which a hook fails; `hangs` runs out of its time. */
const failures = {
  throws: () => {
    throw new Error('broken');
  },
  rejects: () => Promise.reject(new Error('broken')),
  hangs: () => new Promise<never>(() => {}),
  'answers garbage': () => 42 as never,
  'answers a null': () => null as never,
  'answers unknown fields': () => ({ nonsense: true }) as never,
  'answers a map': () => new Map([['call_1', { reject: 'No.' }]]) as never,
  'answers a promise that throws': () =>
    ({
      then: () => {
        throw new Error('broken');
      },
    }) as never,
  'changes what it got': (input: unknown) => {
    const first = Array.isArray(input) ? (input[0] as object) : (input as object);
    Object.assign(first, {
      name: 'changed',
      text: 'changed',
      system: 'changed',
      tool: 'changed',
      failures: 0,
    });
  },
} as const;
const ways = Object.entries(failures) as [string, (input: unknown) => never][];

/** Plays a turn whose hooks may hang. */
async function played(f: Fixture) {
  const turn = f.session.send('Go').then(
    (result) => ({ result, error: undefined }),
    (error: unknown) => ({ result: undefined, error: error as { readonly code: string } }),
  );
  await settle();
  for (let n = 0; n < 6; n++) await f.clock.advance(5_000);
  return turn;
}

describe.each(ways)('a hook that %s', (way, fails) => {
  it('of beforeRequest: nothing is sent, and the turn fails with egress-refused', async () => {
    await using f = fixture([], { middleware: [{ name: 'bad', beforeRequest: fails }] });
    const { error } = await played(f);
    expect(error?.code).toBe('egress-refused');
    expect(f.provider.requests).toHaveLength(0);
    expect(f.session.turns.value[0]!.status).toBe('failed');
  });

  it('`beforeToolCalls` fails: every call of the batch is rejected', async () => {
    const work = spyTool('work');
    await using f = fixture([callTools(call('A'), call('B')), done], {
      domains: board(work),
      middleware: [{ name: 'bad', beforeToolCalls: fails }],
    });
    const { result } = await played(f);
    expect(result?.status).toBe('completed');
    expect(work.runs).toHaveLength(0);
    expect(
      f.observed.operations.flatMap((one) => (one.type === 'toolsRejected' ? one.calls : [])),
    ).toMatchObject([{ reason: 'middleware' }, { reason: 'middleware' }]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain('the middleware "bad" failed');
  });

  it('`afterResponse` fails: the answer is withheld, and the turn stops', async () => {
    await using f = fixture([say('Secret.')], { middleware: [{ name: 'bad', afterResponse: fails }] });
    const { result } = await played(f);
    expect(result).toMatchObject({ status: 'stopped', text: '', stop: { kind: 'withheld' } });
    expect(JSON.stringify(f.session.state)).not.toContain('Secret');
  });

  it('`onToolError` fails: the model reads the error', async () => {
    const breaks = spyTool('work', { execute: () => failed('No card.') });
    await using f = withCall([{ name: 'bad', onToolError: fails }], {
      domains: board(breaks),
      reportsErrors: true,
    });
    const { result } = await played(f);
    expect(result?.status).toBe('completed');
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain('No card.');
    expect(actsOf(f, 'onToolError')).toMatchObject([{ middleware: 'bad', did: 'failed' }]);
    expect(f.reported).toHaveLength(1);
  });

  it('`afterTurn` fails: it is reported and skipped', async () => {
    const seen: string[] = [];
    await using f = fixture([done], {
      middleware: [
        { name: 'bad', afterTurn: fails },
        { name: 'next', afterTurn: ({ text }) => void seen.push(text) },
      ],
      reportsErrors: true,
    });
    const { result } = await played(f);
    expect(result?.status).toBe('completed');
    expect(seen).toEqual(['Done.']);
    expect(f.reported).toHaveLength(1);
    expect(actsOf(f, 'afterTurn')).toMatchObject([{ middleware: 'bad', did: 'failed' }]);
    if (way === 'hangs') expect(String(f.reported[0])).toContain('within 5000 ms');
  });
});

/** Returns the places of objects that can be changed, below a value. */
function changeable(value: unknown, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  const below = Object.entries(value).flatMap(([key, one]) => changeable(one, `${at}.${key}`));
  return Object.isFrozen(value) ? below : [at, ...below];
}

describe('the input of a hook', () => {
  it('is frozen at every depth for each hook, also if an earlier hook returned a new object', async () => {
    const seen: Record<string, unknown[]> = {};
    const look = (hook: string) => (input: unknown) => void (seen[hook] ??= []).push(input);
    const watch = (name: string): Middleware => ({
      name,
      beforeRequest: look('beforeRequest'),
      afterResponse: look('afterResponse'),
      beforeToolCalls: look('beforeToolCalls'),
      afterToolCall: look('afterToolCall'),
      onToolError: look('onToolError'),
      afterTurn: look('afterTurn'),
    });
    const replaces: Middleware = {
      name: 'replaces',
      beforeRequest: (request) => ({
        ...request,
        messages: request.messages.map((message) => ({ ...message, parts: [...message.parts] })),
      }),
      beforeToolCalls: (calls) =>
        Object.fromEntries(calls.map(({ id }) => [id, { arguments: { title: 'B', list: [{ of: 'C' }] } }])),
    };
    const breaks = spyTool('work', { execute: () => failed('No.') });
    await using f = fixture(
      [callTools('First.', { tool: 'board.work', args: { title: 'A', list: [{ of: 'B' }] } }), done],
      { domains: board(breaks), middleware: [watch('first'), replaces, watch('last')] },
    );
    await f.session.send({ text: 'Go', images: [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }] });
    expect(Object.entries(seen).map(([hook, inputs]) => [hook, inputs.length])).toEqual([
      ['beforeRequest', 4],
      ['afterResponse', 4],
      ['beforeToolCalls', 2],
      ['afterToolCall', 2],
      ['onToolError', 2],
      ['afterTurn', 2],
    ]);
    expect(changeable(seen, 'seen').filter((at) => at.split('.').length > 2)).toEqual([]);
  });
});

describe('beforeToolCalls', () => {
  it('is called with the valid calls of a batch, once for all of them, before any guard', async () => {
    const batches: unknown[] = [];
    await using f = fixture(
      [
        callTools(call('A'), { tool: 'board.work', args: { title: 7 } }, { tool: 'no.tool' }, call('B')),
        done,
      ],
      {
        domains: board(titled()),
        middleware: [
          { name: 'watch', beforeToolCalls: (calls) => void batches.push(calls.map((one) => one.arguments)) },
        ],
      },
    );
    await f.session.send('Go');
    expect(batches).toEqual([[{ title: 'A' }, { title: 'B' }]]);
  });

  it('is not called for a batch without a valid call', async () => {
    let called = false;
    await using f = fixture([callTools({ tool: 'no.tool' }), done], {
      middleware: [{ name: 'watch', beforeToolCalls: () => void (called = true) }],
    });
    await f.session.send('Go');
    expect(called).toBe(false);
    expect(acted(f)).toEqual([]);
  });

  it('replaces arguments: the executor gets them, the record shows both, and the result names the middleware', async () => {
    const work = titled();
    await using f = withCall([upper('shouts')], { domains: board(work) });
    await f.session.send('Go');
    expect(work.runs.map(({ args }) => args)).toEqual([{ title: 'A!' }]);
    const [view] = f.session.turns.value[0]!.rounds[0]!.parts;
    expect(view).toMatchObject({ arguments: { title: 'A' }, ranWith: { title: 'A!' } });
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain(
      'The middleware "shouts" changed the arguments: title from "A" to "A!".',
    );
    expect(f.observed.operations.find((one) => one.type === 'toolStarted')).toMatchObject({
      edited: false,
      replacedBy: 'shouts',
      arguments: { title: 'A!' },
    });
  });

  it('later middleware gets the arguments of an earlier one, and the last one is named', async () => {
    const work = titled();
    await using f = withCall([upper('first'), upper('second')], { domains: board(work) });
    await f.session.send('Go');
    expect(work.runs.map(({ args }) => args)).toEqual([{ title: 'A!!' }]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain(
      'The middleware "second" changed the arguments',
    );
  });

  it('replaced arguments are checked again: invalid ones reject the call, naming the middleware', async () => {
    const work = titled();
    const spoils: Middleware = {
      name: 'spoils',
      beforeToolCalls: (calls) =>
        Object.fromEntries(calls.map(({ id }) => [id, { arguments: { title: 7 } }])),
    };
    await using f = withCall([spoils], { domains: board(work) });
    await f.session.send('Go');
    expect(work.runs).toHaveLength(0);
    const [text] = resultTexts(f.provider.requests[1]!);
    expect(text).toContain('The middleware "spoils" changed the arguments: title from "A" to 7.');
    expect(text).toMatch(/title/);
  });

  it('OP-25 rejects a call: it does not run, and the model reads the reason', async () => {
    const work = titled();
    const rejects: Middleware = {
      name: 'strict',
      beforeToolCalls: (calls) => ({ [calls[0]!.id]: { reject: 'Not today.' } }),
    };
    await using f = fixture([callTools(call('A'), call('B')), done], {
      domains: board(work),
      middleware: [rejects],
    });
    await f.session.send('Go');
    expect(work.runs.map(({ args }) => args)).toEqual([{ title: 'B' }]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toBe(
      'board.work was rejected by the middleware "strict": Not today.',
    );
  });

  it('guards and questions get the replaced arguments, and the user may edit them once more', async () => {
    const work = titled();
    await using f = withCall([upper('shouts')], {
      domains: board(work),
      guards: [confirmTools('board.work')],
    });
    const turn = f.session.send('Go');
    await settle();
    expect(f.session.pendingConfirmation.value?.call.arguments).toEqual({ title: 'A!' });
    await f.session.pendingConfirmation.value?.approve({ arguments: { title: 'B' } });
    await turn;
    expect(work.runs.map(({ args }) => args)).toEqual([{ title: 'B' }]);
    const [text] = resultTexts(f.provider.requests[1]!);
    expect(text).toContain('The middleware "shouts" changed the arguments: title from "A" to "A!".');
    expect(text).toContain('The user changed the arguments before they ran: title from "A!" to "B".');
  });

  it('seed regression 1, OP-26: approval code that throws denies, and nothing runs', async () => {
    const work = titled();
    const approves: Middleware = {
      name: 'approval',
      beforeToolCalls: () => {
        throw new Error('The approval service is down.');
      },
    };
    await using f = withCall([approves], { domains: board(work) });
    await f.session.send('Go');
    expect(work.runs).toHaveLength(0);
  });

  it('OP-47 is also called for a call that a model makes inside its answer', async () => {
    const work = titled();
    await using f = fixture([finishWith('stop', callInside(call('A')), 'End.')], {
      domains: board(work),
      middleware: [upper('shouts')],
    });
    await f.session.send('Go');
    expect(work.runs.map(({ args }) => args)).toEqual([{ title: 'A!' }]);
  });
});

describe('onToolError', () => {
  const breaks = () => spyTool('work', { execute: () => failed('No card.') });

  it('audit-S9 an escalation has the words of the tool as its cause', async () => {
    const told: string[] = [];
    const escalates: Middleware = {
      name: 'strict',
      onToolError: ({ message }) => {
        told.push(message);
        return { escalate: 'The board is gone.' };
      },
    };
    await using f = fixture([callTools(call('A'))], { domains: board(breaks()), middleware: [escalates] });
    const { cause } = await rejection(f.session.send('Go'));
    expect(told).toEqual(['No card.']);
    expect((cause as Error).message).toBe(told[0]);
  });

  it('escalates: the turn fails with tool-escalated and is rolled back', async () => {
    const escalates: Middleware = { name: 'strict', onToolError: () => ({ escalate: 'The board is gone.' }) };
    await using f = fixture([callTools(call('A'), call('B'))], {
      domains: board(breaks()),
      middleware: [escalates],
    });
    const error = await rejection(f.session.send('Go'));
    expect(error).toMatchObject({ code: 'tool-escalated', message: 'board.work failed: The board is gone.' });
    expect(error.details).toMatchObject({ tool: 'board.work', middleware: 'strict' });
    expect(f.observed.types.filter((type) => type === 'toolStarted')).toHaveLength(1);
    expect(f.observed.types.slice(-3)).toEqual(['rollbackStarted', 'rolledBack', 'failed']);
  });

  it('OP-27 the first escalation wins: no later hook is called', async () => {
    const seen: string[] = [];
    const hook = (name: string, escalate: string): Middleware => ({
      name,
      onToolError: () => {
        seen.push(name);
        return { escalate };
      },
    });
    await using f = fixture([callTools(call())], {
      domains: board(breaks()),
      middleware: [hook('one', 'First.'), hook('two', 'Second.')],
    });
    expect((await rejection(f.session.send('Go'))).message).toContain('First.');
    expect(seen).toEqual(['one']);
  });

  it('OP-28 counts the failures of a tool in the turn, so that a hook can give up after the third', async () => {
    const counts: number[] = [];
    const patient: Middleware = {
      name: 'patient',
      onToolError: ({ failures }) => {
        counts.push(failures);
        return failures >= 3 ? { escalate: 'It never works.' } : 'feed-back';
      },
    };
    await using f = fixture([callTools(call('A')), callTools(call('B')), callTools(call('C'))], {
      domains: board(breaks()),
      middleware: [patient],
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('tool-escalated');
    expect(counts).toEqual([1, 2, 3]);
  });

  it('AK-F4 row 29: is called if a tool throws, with the text that the model reads', async () => {
    const errors: unknown[] = [];
    const throws = spyTool('work', {
      execute: () => {
        throw new Error('Disk full');
      },
    });
    await using f = withCall([{ name: 'watch', onToolError: (error) => void errors.push(error) }], {
      domains: board(throws),
    });
    await f.session.send('Go');
    expect(errors).toMatchObject([
      {
        call: { tool: 'board.work', arguments: { title: 'A' } },
        outcome: 'thrown',
        message: 'The tool failed with an error: Disk full',
        failures: 1,
      },
    ]);
  });

  it('is not called for a call that did not run', async () => {
    let called = false;
    await using f = fixture([callTools({ tool: 'no.tool' }), done], {
      middleware: [{ name: 'watch', onToolError: () => void (called = true) }],
    });
    await f.session.send('Go');
    expect(called).toBe(false);
  });

  it('an escalation cuts parallel calls, and their effects are reverted', async () => {
    const slow = spyTool('slow', { parallel: true, execute: () => new Promise(() => {}) });
    const bad = spyTool('work', { parallel: true, execute: () => failed('No.') });
    await using f = fixture([callTools({ tool: 'board.slow' }, call())], {
      domains: [{ id: 'board', tools: [slow, bad] }],
      middleware: [{ name: 'strict', onToolError: () => ({ escalate: 'No.' }) }],
      leavesTimers: true,
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('tool-escalated');
    expect(slow.runs[0]?.context.signal.aborted).toBe(true);
  });
});

describe('a cancel', () => {
  const parallel = (name: string, options = {}) => gatedTool(name, { parallel: true, ...options });

  it.each<[string, Middleware]>([
    ['that has no hook for errors', { name: 'watch', afterTurn: () => {} }],
    ['whose hook the turn waits for', { name: 'hangs', onToolError: () => new Promise(() => {}) }],
  ])('lets parallel calls finish, with a middleware %s', async (_name, middleware) => {
    const [one, two, bad] = [parallel('one'), parallel('two'), parallel('bad')];
    await using f = fixture(
      [callTools({ tool: 'board.one' }, { tool: 'board.two' }, { tool: 'board.bad' })],
      { domains: [{ id: 'board', tools: [one, two, bad] }], middleware: [middleware] },
    );
    const turn = rejection(f.session.send('Go'));
    const [first, second, third] = [await one.next(), await two.next(), await bad.next()];
    third.throw(new Error('No.'));
    await settle();
    const cancelled = f.session.cancel();
    first.settle();
    await settle();
    expect(f.session.phase.value).toBe('cancelling');
    expect(second.context.signal.aborted).toBe(false);
    second.settle();
    await cancelled;
    expect((await turn).code).toBe('cancelled');
    expect(f.observed.types.filter((type) => type === 'toolCompleted')).toHaveLength(2);
  });

  it.each(['beforeRequest', 'afterResponse', 'beforeToolCalls', 'onToolError', 'afterTurn'] as const)(
    'inside %s: no later hook is called',
    async (hook) => {
      let isCalled = false;
      const breaks = spyTool('work', { execute: () => failed('No.') });
      await using f = fixture(hook === 'afterTurn' ? [done] : [callTools(call())], {
        domains: board(breaks),
        looseScript: true,
        middleware: [
          { name: 'cancels', [hook]: () => void f.session.cancel() },
          { name: 'later', [hook]: () => void (isCalled = true) },
        ],
      });
      expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
      expect(isCalled).toBe(false);
    },
  );
});

describe('afterTurn', () => {
  const goes = (times = Infinity, note = 'Go on.'): Middleware => ({
    name: 'goal',
    afterTurn: ({ continuations }) => (continuations < times ? { continue: note } : 'end'),
  });

  it('DF-54 DF-55 continues the turn with a note for the model, in the same turn and transaction', async () => {
    await using f = fixture([say('One.'), say('Two.')], { middleware: [goes(1)] });
    const result = await f.session.send('Go');
    expect(result).toMatchObject({ status: 'completed', text: 'One.\n\nTwo.', rounds: 2 });
    expect(texts(f.provider.requests[1]!)).toEqual([
      'user: Go',
      'assistant: One.',
      'user: <note>\nGo on.\n</note>',
    ]);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: One.',
      'user: <note>\nGo on.\n</note>',
      'assistant: Two.',
    ]);
    expect(f.session.turns.value).toHaveLength(1);
  });

  it('continues a turn at most maxContinuations times, which is 3', async () => {
    await using f = fixture([say('1'), say('2'), say('3'), say('4')], { middleware: [goes()] });
    expect((await f.session.send('Go')).rounds).toBe(4);
    expect(actsOf(f, 'afterTurn').map(({ did }) => did)).toEqual([
      'continued',
      'continued',
      'continued',
      'not-continued',
    ]);
  });

  it.each([
    ['rounds', { maxRounds: 1 }],
    ['continuations, with 0', { maxContinuations: 0 }],
    ['tokens', { maxTokens: 100 }],
    ['money', { maxCost: 2 }],
    ['tokens of the session', { session: { maxTokens: 65 } }],
  ])('a continuation never trips the limit of %s: the turn ends instead', async (_name, limits) => {
    const usage = { inputTokens: 60, outputTokens: 5, cost: { amount: 2, currency: 'USD' } };
    await using f = fixture([say('One.', { usage })], { middleware: [goes()], limits });
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(actsOf(f, 'afterTurn')).toMatchObject([{ did: 'not-continued' }]);
  });

  it('the first hook that continues decides; the other hooks are called when the turn ends next', async () => {
    const seen: number[] = [];
    const watch: Middleware = {
      name: 'watch',
      afterTurn: ({ continuations }) => void seen.push(continuations),
    };
    await using f = fixture([say('One.'), say('Two.')], { middleware: [goes(1), watch] });
    await f.session.send('Go');
    expect(seen).toEqual([1]);
  });

  it('OP-22 is called on natural completion only: not for a turn that stops', async () => {
    let called = false;
    await using f = fixture([finishWith('length', 'Cut')], {
      middleware: [{ name: 'watch', afterTurn: () => void (called = true) }],
    });
    expect((await f.session.send('Go')).status).toBe('stopped');
    expect(called).toBe(false);
  });

  it('is called after a steering message has joined, because the turn is not finished before', async () => {
    const seen: string[] = [];
    await using f = fixture([say('One.'), say('Two.')], {
      middleware: [{ name: 'watch', afterTurn: ({ text }) => void seen.push(text) }],
    });
    atOperation(f.session, 'text', () => void f.session.steer('Also this'));
    await f.session.send('Go');
    expect(seen).toEqual(['One.\n\nTwo.']);
  });

  it('gets the record, the text and the usage of the turn', async () => {
    const turns: unknown[] = [];
    await using f = fixture([say('Done.', { usage: { inputTokens: 3, outputTokens: 2 } })], {
      middleware: [{ name: 'watch', afterTurn: (turn) => void turns.push(turn) }],
    });
    await f.session.send('Go');
    expect(turns).toMatchObject([
      { record: { status: 'running' }, text: 'Done.', usage: { inputTokens: 3 }, continuations: 0 },
    ]);
  });
});

/** A tool with a text of arguments. */
function titled() {
  return spyTool('work', {
    parameters: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  });
}

/** Puts a mark behind each title. */
function upper(name: string): Middleware {
  return {
    name,
    beforeToolCalls: (calls) =>
      Object.fromEntries(
        calls.map((one) => [one.id, { arguments: { title: `${String(one.arguments['title'])}!` } }]),
      ),
  };
}
