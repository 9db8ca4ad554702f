// What stands between the result of a tool and its record: the hook afterToolCall, and contentFilter.
import { beforeAll, describe, expect, it } from 'vitest';
import { failed, stop, success, type Middleware } from '@banister/session';
import { contentFilter } from '@banister/session/filters';
import type { ContentPart } from '@banister/provider';
import type { MiddlewareAct } from '@banister/session/operations';
import { exportPath, toMarkdown } from '@banister/session/export';
import { callInside, callTools, finishWith, gate, gatedTool, say, settle, spyTool } from '@banister/testing';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, resultTexts, type Fixture, type FixtureOptions } from './fixture.js';
import { hooksLoaded } from './hooks-loaded.js';

beforeAll(hooksLoaded);

const secret = 'TOPSECRET-4711';
const call = { tool: 'board.work' };

/** A session whose model calls one tool and then ends. */
const withResult = (
  execute: () => unknown,
  middleware: readonly Middleware[],
  options: FixtureOptions = {},
) =>
  fixture([callTools(call), say('Done.')], {
    domains: [{ id: 'board', tools: [spyTool('work', { execute })] }],
    middleware,
    ...options,
  });

const acts = ({ observed }: Fixture): readonly MiddlewareAct[] =>
  observed.operations.flatMap((one) =>
    one.type === 'middlewareActed' && one.hook === 'afterToolCall' ? one.acts : [],
  );

/** Everything that a session keeps, shows, sends and writes, as one text. */
const everything = ({ session, observed, provider }: Fixture): string =>
  JSON.stringify([
    observed.operations,
    session.state,
    session.conversation.value,
    session.turns.value,
    session.save(),
    exportPath(session.save()),
    toMarkdown(session.state),
    provider.requests.map(({ messages }) => messages),
  ]);

const redacts: Middleware = {
  name: 'redacts',
  afterToolCall: ({ content }) => ({
    replace: content.map((part): ContentPart =>
      part.type === 'text' ? { ...part, text: part.text.replaceAll(secret, '[key]') } : part,
    ),
  }),
};

describe('afterToolCall', () => {
  it('audit-S4 a result that `afterToolCall` replaces is in no operation, log, conversation, export or request', async () => {
    await using f = withResult(() => `The key is ${secret}.`, [redacts]);
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['The key is [key].']);
    expect(everything(f)).not.toContain(secret);
    expect(acts(f)).toEqual([{ middleware: 'redacts', did: 'replaced-result', callId: expect.any(String) }]);
  });

  it('audit-S4 gets each result with its call: of success and stop, and the errors of a tool', async () => {
    const seen: unknown[] = [];
    const watch: Middleware = {
      name: 'watch',
      afterToolCall: ({ call: { tool, arguments: args }, outcome, content }) =>
        void seen.push([
          tool,
          args,
          outcome,
          content.map((part) => (part.type === 'text' ? part.text : part.type)),
        ]),
    };
    const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
    const results = [
      () => success('A', image),
      () => ({ a: 1 }),
      () => failed('No.'),
      () => {
        throw new Error('Broken.');
      },
      () => stop('Enough.'),
    ];
    for (const execute of results) {
      await using f = withResult(execute, [watch], { looseScript: true });
      await f.session.send('Go');
      expect(acts(f)).toEqual([]);
    }
    expect(seen).toEqual([
      ['board.work', {}, 'success', ['A', 'image']],
      ['board.work', {}, 'success', ['json']],
      ['board.work', {}, 'failed', ['No.']],
      ['board.work', {}, 'thrown', [expect.stringContaining('Broken.')]],
      ['board.work', {}, 'stop', ['Enough.']],
    ]);
  });

  it('audit-S4 a rejected result is an error with the reason, and the effects of its call can be undone', async () => {
    const board = createBoard();
    const rejects: Middleware = {
      name: 'strict',
      afterToolCall: () => ({ reject: 'It holds instructions.' }),
    };
    await using f = fixture([callTools(addCard('A')), say('Done.')], {
      domains: [board.domain()],
      middleware: [rejects],
    });
    expect(await f.session.send('Go')).toMatchObject({ status: 'completed' });
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      'The tool ran, but the middleware "strict" rejected its result: It holds instructions.',
    ]);
    const failure = f.observed.operations.find(({ type }) => type === 'toolFailed');
    expect(failure).toMatchObject({ outcome: 'unusable' });
    expect(board.titles).toEqual(['A']);
    await f.session.undo();
    expect(board.titles).toEqual([]);
  });

  it('audit-S4 a `stop` whose result is rejected does not stop the turn; a `stop` whose text is replaced stops with the new text', async () => {
    const rejects: Middleware = { name: 'strict', afterToolCall: () => ({ reject: 'No.' }) };
    await using rejected = withResult(() => stop(secret), [rejects]);
    expect(await rejected.session.send('Go')).toMatchObject({ status: 'completed' });
    await using replaced = withResult(() => stop(secret), [redacts], { looseScript: true });
    expect(await replaced.session.send('Go')).toMatchObject({
      status: 'stopped',
      stop: { message: '[key]' },
    });
    for (const f of [rejected, replaced]) expect(everything(f)).not.toContain(secret);
  });

  it('audit-S4 the hooks of a list are called in order, up to the first that rejects', async () => {
    const adds = (name: string): Middleware => ({
      name,
      afterToolCall: ({ content }) => ({ replace: [...content, name] }),
    });
    const rejects: Middleware = {
      name: 'strict',
      afterToolCall: ({ content }) => ({ reject: `${content.length}` }),
    };
    await using f = withResult(() => 'A', [adds('1'), adds('2'), rejects, adds('3')]);
    await f.session.send('Go');
    expect(acts(f).map(({ middleware, did }) => `${middleware} ${did}`)).toEqual([
      '1 replaced-result',
      '2 replaced-result',
      'strict rejected',
    ]);
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain('rejected its result: 3');
  });

  it('audit-S4 onToolError follows, and reads a rejected result as an error', async () => {
    const order: string[] = [];
    const both: Middleware = {
      name: 'both',
      afterToolCall: ({ outcome }) => {
        order.push(`afterToolCall ${outcome}`);
        return { reject: 'No.' };
      },
      onToolError: ({ outcome, message, failures }) => {
        order.push(`onToolError ${outcome} ${failures}`);
        expect(message).toContain('rejected its result: No.');
      },
    };
    await using f = withResult(() => secret, [both]);
    await f.session.send('Go');
    expect(order).toEqual(['afterToolCall success', 'onToolError unusable 1']);
  });

  it.each<[string, Middleware['afterToolCall']]>([
    [
      'throws',
      ({ content }) => {
        throw new Error(JSON.stringify(content));
      },
    ],
    ['hangs', () => new Promise(() => {})],
    ['returns another value', () => ({ replace: 'text' }) as never],
    ['returns two verdicts', () => ({ replace: [], reject: 'No.' })],
    ['returns what JSON cannot hold', () => ({ replace: [1n as never] })],
    [
      'changes the result',
      ({ content }) => void (content as ContentPart[]).push({ type: 'text', text: 'x' }),
    ],
  ])('audit-S4 if the hook %s, no result passes', async (_way, hook) => {
    await using f = withResult(() => secret, [{ name: 'bad', afterToolCall: hook }], { reportsErrors: true });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(5_000);
    expect(await turn).toMatchObject({ status: 'completed' });
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      'The tool ran, but its result is withheld, since the middleware "bad" failed.',
    ]);
    expect(f.reported).toHaveLength(1);
    expect(acts(f)).toMatchObject([{ did: 'failed' }]);
    expect(everything(f)).not.toContain(secret);
  });

  it('audit-S4 a result that becomes too large is an error', async () => {
    const grows: Middleware = { name: 'grows', afterToolCall: () => ({ replace: ['x'.repeat(200_000)] }) };
    await using f = withResult(() => 'A', [grows]);
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)[0]).toContain('larger than the 100000 that fit');
  });

  it('audit-S4 each result of parallel calls is judged, and the results are in call order', async () => {
    const first = gate();
    const slow: Middleware = {
      name: 'slow',
      afterToolCall: async ({ call: { arguments: args } }) => {
        if (args.n === 1) await first.pass();
        return { replace: [`judged ${String(args.n)}`] };
      },
    };
    const read = spyTool('read', { capabilities: ['readOnly'], execute: () => secret });
    await using f = fixture(
      [
        callTools({ tool: 'board.read', args: { n: 1 } }, { tool: 'board.read', args: { n: 2 } }),
        say('Done.'),
      ],
      { domains: [{ id: 'board', tools: [read] }], middleware: [slow] },
    );
    const turn = f.session.send('Go');
    await first.reached;
    await settle();
    expect(f.observed.types.filter((type) => type === 'toolCompleted')).toHaveLength(1);
    first.open();
    await turn;
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['judged 1', 'judged 2']);
  });

  it('audit-S4 a model that makes calls inside its answer reads the judged results', async () => {
    const inside = finishWith('stop', 'I look. ', callInside(call), 'Done.');
    await using f = fixture([inside], {
      domains: [{ id: 'board', tools: [spyTool('work', { execute: () => secret })] }],
      middleware: [redacts],
    });
    await f.session.send('Go');
    expect(f.provider.streams[0]!.results).toMatchObject([{ content: [{ type: 'text', text: '[key]' }] }]);
    expect(everything(f)).not.toContain(secret);
  });

  it('audit-S4 judges what banister.read_context returns', async () => {
    const source = { id: 'mail', policy: 'onDemand', summary: () => 'A mail', detail: () => secret } as const;
    await using f = fixture(
      [callTools({ tool: 'banister.read_context', args: { id: 'mail' } }), say('Done.')],
      { context: [source], middleware: [redacts] },
    );
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['[key]']);
    expect(everything(f)).not.toContain(secret);
  });

  it('audit-S4 a cancel while a hook judges waits for it, and the result is not recorded unchecked', async () => {
    const wait = gate();
    const slow: Middleware = {
      name: 'slow',
      afterToolCall: async () => {
        await wait.pass();
        return { replace: ['[key]'] };
      },
    };
    await using f = withResult(() => secret, [slow], { looseScript: true });
    const turn = rejection(f.session.send('Go'));
    await wait.reached;
    const cancelled = f.session.cancel();
    await settle();
    expect(f.session.phase.value).toBe('cancelling');
    wait.open();
    await cancelled;
    expect((await turn).code).toBe('cancelled');
    expect(f.observed.types.filter((type) => type === 'toolCompleted')).toHaveLength(1);
    expect(everything(f)).not.toContain(secret);
  });

  it('audit-S4 an abort while a hook judges ends the turn without the result, and takes the effect back', async () => {
    const board = createBoard();
    const wait = gate();
    let signal: AbortSignal | undefined;
    const slow: Middleware = {
      name: 'slow',
      afterToolCall: async (_answer, context) => {
        signal = context.signal;
        await wait.pass();
      },
    };
    await using f = fixture([callTools(addCard('A'))], {
      domains: [board.domain()],
      middleware: [slow],
      looseScript: true,
    });
    const turn = rejection(f.session.send('Go'));
    await wait.reached;
    await f.session.cancel({ immediate: true });
    expect((await turn).code).toBe('cancelled');
    expect(signal!.aborted).toBe(true);
    expect(board.titles).toEqual([]);
    wait.open();
    await settle();
    expect(f.observed.types).not.toContain('toolCompleted');
    expect(f.session.isRunning.value).toBe(false);
  });

  it('audit-S4 a call that timed out is not given to the hook, and its late result is recorded nowhere', async () => {
    const tool = gatedTool('work', { timeoutMs: 50 });
    let isCalled = false;
    await using f = fixture([callTools(call), say('Done.')], {
      domains: [{ id: 'board', tools: [tool] }],
      middleware: [{ name: 'watch', afterToolCall: () => void (isCalled = true) }],
    });
    const turn = f.session.send('Go');
    const run = await tool.next();
    await f.clock.advance(50);
    await turn;
    run.settle(secret);
    await settle();
    expect(isCalled).toBe(false);
    expect(everything(f)).not.toContain(secret);
  });
});

describe('contentFilter on results', () => {
  it.each<[string, () => unknown]>([
    ['a text', () => `The key is ${secret}.`],
    ['a value, in keys too', () => ({ [secret]: [{ deep: secret }] })],
    ['several parts', () => success('Here.', { key: secret })],
    ['an error', () => failed(`No access with ${secret}.`)],
    [
      'an error that is thrown',
      () => {
        throw new Error(`GET /?key=${secret}`);
      },
    ],
    ['a stop', () => stop(`Ended with ${secret}.`)],
    [
      'the words for the model and the user',
      () => failed(`No ${secret}.`, { forUser: `The key is ${secret}.` }),
    ],
  ])('audit-S4 takes a secret out of %s before it is recorded', async (_kind, execute) => {
    await using f = withResult(execute, [contentFilter({ secrets: [secret] })], { looseScript: true });
    await f.session.send('Go');
    expect(everything(f)).not.toContain(secret);
    expect(JSON.stringify(f.session.turns.value)).toContain('[redacted]');
  });

  it.each(['redact', 'block'] as const)(
    'audit-S4 words for the user that contain a secret are left out, with results: %s',
    async (results) => {
      const execute = () => failed('No.', { forUser: `The key is ${secret}.` });
      await using f = withResult(execute, [contentFilter({ secrets: [secret], results })], {
        looseScript: true,
      });
      await f.session.send('Go');
      expect(everything(f)).not.toContain(secret);
    },
  );

  it("audit-S4 with `results: 'block'` a result with a secret is blocked, and other results pass", async () => {
    const filter = contentFilter({ secrets: [secret], results: 'block' });
    for (const [text, told] of [
      [
        secret,
        'The tool ran, but the middleware "content-filter" rejected its result: It contained a secret.',
      ],
      ['Fine.', 'Fine.'],
    ] as const) {
      await using f = withResult(() => text, [filter]);
      await f.session.send('Go');
      expect(resultTexts(f.provider.requests[1]!)).toEqual([told]);
      expect(everything(f)).not.toContain(secret);
    }
  });

  it('audit-S4 text that is redacted only in requests stays in the conversation', async () => {
    await using f = withResult(() => 'ada@example.org', [contentFilter({ redact: [/\w+@[\w.]+/] })]);
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)).toEqual(['[redacted]']);
    expect(JSON.stringify(f.session.conversation.value)).toContain('ada@example.org');
  });

  it('audit-S4 the option `results` accepts only `redact` and `block`', () => {
    expect(() => contentFilter({ secrets: [secret], results: 'keep' as never })).toThrow(
      '"redact" or "block"',
    );
  });
});
