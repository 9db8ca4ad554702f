// Which failures end the turn, which become results for the model, which stop the turn.
import { describe, expect, it, vi } from 'vitest';
import {
  callTools,
  cut,
  fail,
  failAfter,
  finishWith,
  forcedGuard,
  say,
  spyTool,
  stall,
  unsafe,
} from '@banister/testing';
import {
  AgentSessionError,
  conflict,
  denied,
  failed,
  isAgentSessionError,
  stop,
  UndoHistory,
  type ErrorCode,
  type RetryHint,
} from '@banister/session';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, resultTexts, terminals } from './fixture.js';

describe('the turn fails', () => {
  it.each([
    'auth',
    'model',
    'quota',
    'context-length',
    'refused',
    'server',
    'network',
    'rate-limit',
  ] as const)(
    'on a provider error %s: the turn is rolled back, nothing is appended, and the session is usable at once',
    async (code) => {
      const board = createBoard();
      await using f = fixture([callTools(addCard('A')), fail(code), say('Fine.')], {
        domains: [board.domain()],
        history: new UndoHistory(),
        limits: { maxRetries: 0 },
      });
      const error = await rejection(f.session.send('Go'));
      expect(error.code).toBe(code);
      expect(terminals(f)).toEqual(['failed']);
      expect(board.titles).toEqual([]);
      expect(outline(f.session.conversation.value.messages)).toEqual([
        'user: Go',
        'assistant: call board.add',
        'user: result success',
      ]);
      expect((await f.session.send('Next')).text).toBe('Fine.');
    },
  );

  it('W8 as `interrupted` on a stream that ends without a finish; the partial text stays visible, no tool runs', async () => {
    const board = createBoard();
    await using f = fixture([cut('Half an ans', addCard('A'))], { domains: [board.domain()] });
    const error = await rejection(f.session.send('Go'));
    expect(error).toMatchObject({ code: 'interrupted', retry: 'now' });
    expect(f.session.currentText.value).toBe('Half an ans');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
    expect(board.titles).toEqual([]);
  });

  it('on an error after partial text, but keeps the visible text (DF-21)', async () => {
    await using f = fixture([failAfter(['Half'], 'network')]);
    expect((await rejection(f.session.send('Go'))).code).toBe('network');
    expect(f.session.currentText.value).toBe('Half');
    expect(f.session.turns.value[0]?.rounds[0]?.parts).toEqual([{ type: 'text', text: 'Half' }]);
  });

  it.each([
    ['text after finish', [{ type: 'finish', reason: 'stop' }, 'late']],
    [
      'a second finish',
      [
        { type: 'finish', reason: 'stop' },
        { type: 'finish', reason: 'stop' },
      ],
    ],
    ['a call with a hole before it', [{ type: 'tool-call', index: 1, tool: 'board.add', delta: '{}' }]],
    ['a call without a name', [{ type: 'tool-call', index: 0, delta: '{}' }]],
    ['an unknown event', [{ type: 'surprise' }]],
    ['a piece of text that is a number', [{ type: 'text', delta: 3 }]],
    ['thinking that is an object', [{ type: 'thinking', delta: {} }]],
    ['arguments that are an object', [{ type: 'tool-call', index: 0, tool: 'board.add', delta: {} }]],
    ['a reason of its own', [{ type: 'finish', reason: 'end_turn' }]],
  ] as const)('if the provider breaks its contract: %s', async (_name, events) => {
    await using f = fixture([unsafe(...(events as unknown as never[]))], {
      domains: [createBoard().domain()],
    });
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe('provider-contract');
    expect(error.message).toMatch(/broke its contract/);
    expect(f.observed.types).not.toContain('toolStarted');
  });

  it('an unclassified error of a provider fails the turn as `provider-contract`', async () => {
    await using f = fixture([fail(new TypeError('terminated'))]);
    const error = await rejection(f.session.send('Go'));
    expect(error).toMatchObject({ code: 'provider-contract', retry: 'never' });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('on a provider whose stream() throws at once', async () => {
    await using f = fixture([], {});
    f.session.configure({
      provider: {
        id: 'broken',
        model: 'x',
        capabilities: { images: false },
        stream() {
          throw new AgentSessionError('model', 'No such model.');
        },
      },
    });
    expect((await rejection(f.session.send('Go'))).code).toBe('model');
  });

  it.each([null, undefined, 'text', 3])('on an event that is %s', async (event) => {
    await using f = fixture([], {});
    f.session.configure({
      provider: {
        id: 'broken',
        model: 'x',
        capabilities: { images: false },
        async *stream() {
          yield event as never;
        },
      },
    });
    const error = await rejection(f.session.send('Go'));
    expect(error).toMatchObject({ code: 'provider-contract' });
    expect(error.message).toMatch(/an event that is no object/);
  });

  it('a provider that reports a cancel without one ends the turn as interrupted, not as cancelled', async () => {
    await using f = fixture([fail('cancelled')], { limits: { maxRetries: 0 } });
    expect((await rejection(f.session.send('Go'))).code).toBe('interrupted');
    expect(terminals(f)).toEqual(['failed']);
  });
});

describe('the model reads the result, and the turn goes on', () => {
  const told = async (execute: () => unknown) => {
    await using f = fixture([callTools({ tool: 'board.work' }), say('Done.')], {
      domains: [{ id: 'board', tools: [spyTool('work', { execute })] }],
    });
    expect((await f.session.send('Go')).status).toBe('completed');
    const part = f.session.conversation.value.messages[2]?.parts[0];
    return {
      outcome: part?.type === 'tool-result' ? part.outcome : undefined,
      text: resultTexts(f.provider.requests[1]!)[0] ?? '',
    };
  };

  it('the model reads the error of a failed call, and the turn goes on', async () => {
    expect(await told(() => failed('The printer is out of paper.'))).toEqual({
      outcome: 'failed',
      text: 'The printer is out of paper.',
    });
  });

  it('the model reads the result of a denied call, and the turn continues', async () => {
    expect(await told(() => denied('Not for guests.'))).toMatchObject({
      outcome: 'denied',
      text: expect.stringContaining('Not for guests.'),
    });
  });

  it('the model reads the result of a conflicting call, and the turn continues', async () => {
    expect(await told(() => conflict(1, 2))).toMatchObject({ outcome: 'conflict' });
  });

  it('T19 the model reads the message of an error that a tool throws, without stack and cause', async () => {
    const { outcome, text } = await told(() => {
      throw new Error('Disk full\n    at secret.ts:1', { cause: new Error('password') });
    });
    expect(outcome).toBe('thrown');
    expect(text).toContain('Disk full');
    expect(text).not.toMatch(/secret\.ts|password/);
  });

  it('the model reads a result for an error whose message is not a string', async () => {
    const { outcome, text } = await told(() => {
      throw Object.assign(new Error('x'), { message: { status: 500 } });
    });
    expect(outcome).toBe('thrown');
    expect(text).toContain('unknown error');
  });

  it('T11 an unknown tool is answered with the names that exist', async () => {
    await using f = fixture([callTools({ tool: 'board.ad' }), say('Done.')], {
      domains: [createBoard().domain()],
    });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(
      /no tool "board\.ad".*board\.add, board\.drop, board\.list/,
    );
  });

  it('T9 T10 for invalid arguments, the result names the bad parameter and the valid parameters', async () => {
    await using f = fixture(
      [
        callTools(
          { tool: 'board.add', argumentsText: '{"title": "A",}' },
          { tool: 'board.add', args: { titel: 'A' } },
          { tool: 'board.add', args: { title: 3 } },
          { tool: 'board.add', argumentsText: '[1]' },
        ),
        say('Done.'),
      ],
      { domains: [createBoard().domain()] },
    );
    await f.session.send('Go');
    const [syntax, missing, type, list] = resultTexts(f.provider.requests[1]!);
    expect(syntax).toMatch(/board\.add.*Not valid JSON.*title \(string, required\)/);
    expect(missing).toMatch(/"title" is required.*title \(string, required\)/);
    expect(missing).toMatch(/"titel" is not a known parameter/);
    expect(type).toMatch(/"title" must be of type string/);
    expect(list).toMatch(/must be a JSON object/);
    expect(f.observed.types).not.toContain('toolStarted');
  });

  it('the model reads the results of a denied and of a declined call', async () => {
    await using f = fixture([callTools(addCard('A'), addCard('B')), say('Done.')], {
      domains: [createBoard().domain()],
      guards: [
        forcedGuard('g', (call) => (call.arguments.title === 'A' ? { deny: 'no' } : { confirm: 'Sure?' })),
      ],
      confirm: () => ({ approve: false, reason: 'later' }),
    });
    await f.session.send('Go');
    expect(resultTexts(f.provider.requests[1]!)).toEqual([
      expect.stringContaining('no'),
      expect.stringContaining('later'),
    ]);
  });

  it('the model reads the result of a call that timed out', async () => {
    await using f = fixture([callTools({ tool: 'board.hang' }), say('Done.')], {
      domains: [
        { id: 'board', tools: [spyTool('hang', { execute: () => new Promise(() => {}), timeoutMs: 100 })] },
      ],
    });
    const turn = f.session.send('Go');
    await f.clock.advance(100);
    expect((await turn).status).toBe('completed');
    expect(resultTexts(f.provider.requests[1]!)[0]).toMatch(/did not answer within 0\.1 seconds/);
  });
});

describe('the turn stops', () => {
  it("a tool's `stop` ends the turn, keeps results and answers every call", async () => {
    const board = createBoard();
    await using f = fixture([callTools('One.', addCard('A'), { tool: 'board.enough' }, addCard('C'))], {
      domains: [board.domain(spyTool('enough', { execute: () => stop('That is enough.') }))],
      history: new UndoHistory(),
    });
    const result = await f.session.send('Go');
    expect(result).toMatchObject({ status: 'stopped', stop: { kind: 'tool', message: 'That is enough.' } });
    expect(board.titles).toEqual(['A']);
    expect(outline(f.session.conversation.value.messages)).toEqual([
      'user: Go',
      'assistant: One. | call board.add | call board.enough | call board.add',
      'user: result success | result stop | result rejected',
    ]);
    f.provider.push(say('Fine.'));
    expect((await f.session.send('Next')).text).toBe('Fine.');
  });

  it.each([
    ['length', 'length'],
    ['refusal', 'refusal'],
    ['content-filter', 'content-filter'],
  ] as const)(
    'T8 L5 at an answer that ends with %s: cut calls do not run and are not requested again',
    async (reason, kind) => {
      const board = createBoard();
      await using f = fixture(
        [
          callTools(addCard('A')),
          finishWith(reason, 'Half', addCard('B'), { tool: 'board.add', argumentsText: '{"title": "C' }),
        ],
        { domains: [board.domain()], history: new UndoHistory() },
      );
      const result = await f.session.send('Go');
      expect(result).toMatchObject({ status: 'stopped', text: 'Half', stop: { kind } });
      expect(board.titles).toEqual(['A']);
      expect(f.provider.requests).toHaveLength(2);
      expect(outline(f.session.conversation.value.messages).slice(3)).toEqual([
        'assistant: Half | call board.add | call board.add',
        'user: result rejected | result rejected',
      ]);
      expect(JSON.stringify(f.session.conversation.value.messages.at(-1))).toMatch(/Not run/);
      f.provider.push(say('Fine.'));
      expect((await f.session.send('Next')).text).toBe('Fine.');
    },
  );

  it('S-12 at a token limit without any visible text, with the reason length', async () => {
    await using f = fixture([finishWith('length')]);
    const result = await f.session.send('Go');
    expect(result.stop?.message).toMatch(/token limit/);
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });

  it.each(['stop', 'tool-calls', 'unknown'] as const)(
    'S-9 but not at the finish reason %s: the calls run',
    async (reason) => {
      const board = createBoard();
      await using f = fixture([finishWith(reason, addCard('A')), finishWith(reason, 'Done.')], {
        domains: [board.domain()],
      });
      expect((await f.session.send('Go')).status).toBe('completed');
      expect(board.titles).toEqual(['A']);
    },
  );

  it('an empty answer completes with an empty text', async () => {
    await using f = fixture([finishWith('stop')]);
    expect(await f.session.send('Go')).toMatchObject({ status: 'completed', text: '' });
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go']);
  });
});

describe('AgentSessionError', () => {
  it.each<[ErrorCode, RetryHint]>([
    ['already-running', 'after-action'],
    ['invalid-input', 'never'],
    ['nothing-to-retry', 'never'],
    ['conflict', 'after-action'],
    ['cancelled', 'now'],
    ['timeout', 'now'],
    ['interrupted', 'now'],
    ['auth', 'after-action'],
    ['rate-limit', 'now'],
    ['network', 'now'],
    ['disposed', 'never'],
  ])('%s has the hint %o', (code, hint) => {
    expect(new AgentSessionError(code, 'x').retry).toEqual(hint);
  });

  it('errors are recognised across two copies of the package', async () => {
    vi.resetModules();
    const copy = await import('@banister/provider');
    const foreign = new copy.AgentSessionError('auth', 'x');
    expect(foreign).not.toBeInstanceOf(AgentSessionError);
    expect(isAgentSessionError(foreign)).toBe(true);
    for (const other of [
      null,
      undefined,
      'auth',
      new Error('x'),
      { code: 'auth', retry: 'now', details: {} },
    ])
      expect(isAgentSessionError(other)).toBe(false);
  });

  it('becomes JSON without stack and cause', () => {
    const error = new AgentSessionError('rate-limit', 'Slow down.', {
      retry: { afterMs: 5 },
      details: { limit: 3 },
      cause: new Error('secret'),
    });
    expect(JSON.parse(JSON.stringify(error))).toEqual({
      code: 'rate-limit',
      message: 'Slow down.',
      retry: { afterMs: 5 },
      details: { limit: 3 },
    });
  });

  it('keeps the hint and the details of a provider error', async () => {
    const thrown = new AgentSessionError('quota', 'Empty.', {
      retry: { afterMs: 86_400_000 },
      details: { plan: 'free' },
    });
    await using f = fixture([fail(thrown)]);
    expect(await rejection(f.session.send('Go'))).toBe(thrown);
    expect(f.session.lastOutcome.value?.error).toEqual(thrown.toJSON());
  });

  it('a stalled provider is cut by the wall clock', async () => {
    await using f = fixture([stall('x')]);
    const turn = f.session.send('Go');
    await f.clock.advance(60_000);
    expect((await rejection(turn)).code).toBe('timeout');
    expect(f.provider.streams[0]?.closed).toBe(true);
  });
});
