// What a turn may spend.
import { describe, expect, it } from 'vitest';
import {
  callTools,
  createVirtualClock,
  forcedGuard,
  gate,
  gatedTool,
  observe,
  say,
  settle,
  spyTool,
  stall,
  unsafe,
  type AnswerSource,
} from '@banister/testing';
import {
  createAgentSession,
  defaultLimits,
  immediate,
  UndoHistory,
  type Limits,
  type Provider,
  type SessionOptions,
  type UndoProvider,
} from '@banister/session';
import type { UsageReport } from '@banister/provider';
import { addCard, createBoard } from './board.js';
import { fixture, outline, rejection, resultTexts, type Fixture, type FixtureOptions } from './fixture.js';

const usage = (report: UsageReport) => ({ type: 'usage', usage: report }) as const;

/** Always calls a tool, each time with other arguments. */
const restless: AnswerSource = (_request, n) => callTools(addCard(`card ${n}`));

function limited(
  limits: Partial<Limits>,
  answers: readonly AnswerSource[] = [],
  options: FixtureOptions = {},
) {
  const board = createBoard();
  const f = fixture(answers, {
    domains: [board.domain()],
    history: new UndoHistory(),
    limits,
    looseScript: true,
    scripted: { otherwise: restless },
    ...options,
  });
  return { board, f };
}

it('the defaults are those of [Errors and limits](errors-and-limits.md#limits)', () => {
  expect(defaultLimits).toEqual({
    maxToolCalls: 12,
    maxImageBytes: 3_932_160,
    maxTextFileBytes: 500_000,
    maxFilesBytes: 20_000_000,
    maxCallsPerAnswer: 128,
    maxConcurrentTools: 8,
    maxRounds: 8,
    timeoutMs: 60_000,
    maxThinkingMs: 300_000,
    confirmationTimeoutMs: 45_000,
    toolTimeoutMs: 30_000,
    contextTimeoutMs: 2_000,
    hookTimeoutMs: 5_000,
    maxContinuations: 3,
    maxRebuilds: 1,
    maxChildren: 16,
    maxDepth: 1,
    maxConcurrentRequests: 4,
    maxChildRecord: 16_384,
    revertTimeoutMs: 5_000,
    maxTokens: Infinity,
    maxTokensPerRound: Infinity,
    maxCost: Infinity,
    session: { maxTokens: Infinity, maxCost: Infinity },
    maxRetries: 3,
    onTrip: 'fail',
  });
});

const trips = [
  { name: 'maxRounds', limits: { maxRounds: 3 }, code: 'max-rounds', done: 3, answers: [] },
  { name: 'L1 maxRounds by default', limits: {}, code: 'max-rounds', done: 8, answers: [] },
  {
    name: 'maxToolCalls',
    limits: { maxToolCalls: 2 },
    code: 'max-tool-calls',
    done: 2,
    answers: [callTools(addCard('A'), addCard('B'), addCard('C'))],
  },
  { name: 'maxToolCalls 0', limits: { maxToolCalls: 0 }, code: 'max-tool-calls', done: 0, answers: [] },
  {
    name: 'L6 maxTokens',
    limits: { maxTokens: 100 },
    code: 'token-budget',
    done: 1,
    answers: [
      callTools(addCard('A'), usage({ inputTokens: 60, outputTokens: 10 })),
      unsafe(usage({ inputTokens: 40 }), 'never seen'),
    ],
  },
  {
    name: 'L6 maxCost',
    limits: { maxCost: 1 },
    code: 'cost-budget',
    done: 1,
    answers: [
      callTools(addCard('A'), usage({ cost: { amount: 0.6, currency: 'EUR' } })),
      unsafe(usage({ cost: { amount: 0.6, currency: 'EUR' } }), 'never seen'),
    ],
  },
] as const;

describe.each(trips)('$name', ({ limits, code, done, answers }) => {
  it('a limit fails the turn with its code and rolls back', async () => {
    const { board, f } = limited(limits, answers);
    await using _ = f;
    const error = await rejection(f.session.send('Go'));
    expect(error.code).toBe(code);
    expect(board.titles).toEqual([]);
    expect(f.session.lastOutcome.value?.report?.done).toHaveLength(done);
    expect(f.session.currentText.value).not.toContain('never seen');
  });

  it("with `onTrip: 'stop'` a limit commits the effects, and every call has a result", async () => {
    const { board, f } = limited({ ...limits, onTrip: 'stop' }, answers);
    await using _ = f;
    const result = await f.session.send('Go');
    expect(result).toMatchObject({ status: 'stopped', stop: { kind: 'limit' } });
    expect(board.titles).toHaveLength(done);
    expect(f.session.canUndo.value).toBe(done > 0);
    f.session.configure({ limits: {} });
    f.provider.push(say('Fine.'));
    expect((await f.session.send('Next')).text).toBe('Fine.');
  });

  it('counts from zero in the next turn', async () => {
    const { f } = limited(limits, answers);
    await using _ = f;
    await rejection(f.session.send('Go'));
    f.provider.push(say('Fine.'));
    expect((await f.session.send('Next')).text).toBe('Fine.');
    expect(f.session.budget.value.rounds.spent).toBe(1);
  });
});

/** A turn that its limit of time stops. The promise of the turn is not awaited. */
async function stoppedTurn(options: Pick<SessionOptions, 'provider' | 'history'>) {
  const clock = createVirtualClock();
  const session = createAgentSession({
    ...options,
    domains: [createBoard().domain()],
    limits: { onTrip: 'stop' },
    ports: { clock, scheduler: immediate() },
  });
  const observed = observe(session, { clock });
  const turn = session.send('Go');
  await clock.advance(60_000);
  return { session, observed, turn };
}

describe('maxToolCalls', () => {
  it('counts executor starts only: rejected and denied calls are free', async () => {
    const { board, f } = limited(
      { maxToolCalls: 1 },
      [
        callTools({ tool: 'board.nowhere' }, { tool: 'board.add', args: {} }, addCard('deny'), addCard('A')),
        say('Done.'),
      ],
      { guards: [forcedGuard('g', (call) => (call.arguments.title === 'deny' ? { deny: 'no' } : 'allow'))] },
    );
    await using _ = f;
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(board.titles).toEqual(['A']);
  });
});

describe('maxThinkingMs', () => {
  it('300 s: ends a turn whose model thinks for longer, over all rounds', async () => {
    const thought = gate();
    const thinking = { type: 'thinking', delta: 'Hm' } as const;
    await using f = fixture([callTools(thinking, thought, { tool: 'board.list' }), stall(thinking)], {
      domains: [createBoard().domain()],
    });
    const turn = f.session.send('Go');
    await thought.reached;
    await f.clock.advance(200_000);
    thought.open();
    await settle();
    await f.clock.advance(99_999);
    expect(f.session.phase.value).toBe('streaming');
    await f.clock.advance(1);
    expect(await rejection(turn)).toMatchObject({
      code: 'timeout',
      message: 'The model thought for longer than 300 seconds.',
      details: { limit: 300_000, of: 'thinking' },
    });
  });

  it('a piece of thinking without a text begins it, and is no part of the record', async () => {
    const thought = gate();
    await using f = fixture([say([thought, 'Well.'], { thinking: [''] })], {
      limits: { timeoutMs: 10_000 },
    });
    const turn = f.session.send('Go');
    await thought.reached;
    await f.clock.advance(200_000);
    thought.open();
    await turn;
    expect(f.session.turns.value[0]?.rounds[0]?.parts).toEqual([{ type: 'text', text: 'Well.' }]);
  });

  it('a report of the usage does not end the thinking, and the end of the answer does', async () => {
    const [first, second] = [gate(), gate()];
    await using f = fixture(
      [stall({ type: 'thinking', delta: 'Hm' }, first, usage({ inputTokens: 1, outputTokens: 1 }), second)],
      { limits: { timeoutMs: 10_000, maxThinkingMs: 20_000 } },
    );
    const turn = f.session.send('Go');
    await first.reached;
    await f.clock.advance(12_000);
    first.open();
    await second.reached;
    await f.clock.advance(7_999);
    expect(f.session.isRunning.value).toBe(true);
    await f.clock.advance(1);
    expect((await rejection(turn)).details).toEqual({ limit: 20_000, of: 'thinking' });
  });
});

describe('timeoutMs', () => {
  it.each([
    ['the model stalls', [stall('Hm')], 'streaming'],
    ['the model has not begun', [stall()], 'streaming'],
    ['a tool runs', [callTools({ tool: 'board.hang' })], 'executing'],
  ] as const)('seed 8 OP-15 AK-L6 60 s: ends the turn while %s', async (_name, answers, phase) => {
    const hang = gatedTool('hang');
    await using f = fixture(answers, {
      domains: [{ id: 'board', tools: [hang] }],
      history: new UndoHistory(),
      limits: { toolTimeoutMs: 3_600_000 },
    });
    const turn = f.session.send('Go');
    await f.clock.advance(59_999);
    expect(f.session.phase.value).toBe(phase);
    await f.clock.advance(1);
    expect(await rejection(turn)).toMatchObject({ code: 'timeout', retry: 'now' });
    for (const run of hang.runs) {
      expect(run.context.signal.aborted).toBe(true);
      run.settle();
    }
    await settle();
  });

  it("with onTrip 'stop' keeps the text and the effects, and the call that was cut has a result", async () => {
    const board = createBoard();
    const hang = gatedTool('hang');
    await using f = fixture(
      [callTools('Text.', addCard('A'), { tool: 'board.hang' }, addCard('C')), say('Fine.')],
      {
        domains: [board.domain(hang)],
        history: new UndoHistory(),
        limits: { onTrip: 'stop', toolTimeoutMs: 3_600_000 },
      },
    );
    const turn = f.session.send('Go');
    await f.clock.advance(60_000);
    expect(await turn).toMatchObject({ status: 'stopped', text: 'Text.', stop: { kind: 'limit' } });
    expect(board.titles).toEqual(['A']);
    expect(outline(f.session.conversation.value.messages)[2]).toBe(
      'user: result success | result timed-out | result rejected',
    );
    hang.runs[0]?.settle();
    await settle();
    expect((await f.session.send('Next')).text).toBe('Fine.');
  });

  it("with onTrip 'stop' in the middle of an answer keeps its text, without half-written calls", async () => {
    await using f = fixture(
      [stall('Half an answer', { tool: 'board.add', argumentsText: '{"ti' }), say('Fine.')],
      {
        domains: [createBoard().domain()],
        limits: { onTrip: 'stop' },
      },
    );
    const turn = f.session.send('Go');
    await f.clock.advance(60_000);
    expect((await turn).text).toBe('Half an answer');
    expect(outline(f.session.conversation.value.messages)).toEqual(['user: Go', 'assistant: Half an answer']);
    expect((await f.session.send('Next')).text).toBe('Fine.');
  });

  it('C3: a stream that ends quietly while a limit settles the turn leaves no call without a result', async () => {
    const [open, committing] = [gate(), gate()];
    const provider: Provider = {
      id: 'p',
      model: 'm',
      capabilities: { images: false },
      async *stream({ messages }) {
        if (messages.length === 1) {
          yield { type: 'tool-call', index: 0, id: 'a', tool: 'board.add', delta: '{"title":"A"}' };
          yield { type: 'finish', reason: 'tool-calls' };
          return;
        }
        yield { type: 'text', delta: 'One moment.' };
        yield { type: 'tool-call', index: 0, id: 'a', tool: 'board.list', delta: '{}' };
        yield { type: 'finish', reason: 'tool-calls' };
        // The connection stays open, and its end arrives while the turn commits.
        await open.pass();
      },
    };
    const history: UndoProvider = {
      begin: () => ({
        record: () => {},
        rollback: () => Promise.resolve({ done: [], failed: [], irreversible: [] }),
        async commit() {
          await committing.pass();
          return { revert: () => Promise.resolve({ done: [], failed: [], irreversible: [] }) };
        },
      }),
    };
    const { session, observed, turn } = await stoppedTurn({ provider, history });
    expect(session.phase.value).toBe('committing');
    open.open();
    await settle();
    committing.open();
    expect((await turn).status).toBe('stopped');
    observed.check();
    expect(outline(session.conversation.value.messages).slice(3)).toEqual(['assistant: One moment.']);
    createAgentSession({ provider, conversation: session.save() });
    await session.dispose();
  });

  it.each(['text', 'thinking', 'tool-call'] as const)(
    'C3: a provider that ignores its signal is asked for no further event once a limit has cut it, behind one of type %s',
    async (type) => {
      let asked = 0;
      const goOn = gate();
      const provider: Provider = {
        id: 'p',
        model: 'm',
        capabilities: { images: false },
        async *stream() {
          yield { type: 'text', delta: 'One moment.' };
          await goOn.pass();
          for (; asked < 100; asked++)
            if (type === 'tool-call') yield { type, index: 0, id: 'a', tool: 'board.list', delta: '{}' };
            else yield { type, delta: `late ${asked}` };
        },
      };
      const { session, observed, turn } = await stoppedTurn({ provider });
      expect((await turn).status).toBe('stopped');
      const { state } = session;
      goOn.open();
      await settle();
      expect(asked).toBe(0);
      expect(session.state).toBe(state);
      observed.check();
      await session.dispose();
    },
  );

  it('stands still while the user is asked, by signal or by handler, and runs on afterwards', async () => {
    const hang = gatedTool('hang');
    await using f = fixture([callTools({ tool: 'board.hang' })], {
      domains: [{ id: 'board', tools: [hang] }],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      limits: { timeoutMs: 10_000 },
    });
    const turn = f.session.send('Go');
    await f.clock.advance(44_000);
    expect(f.session.phase.value).toBe('confirming');
    void f.session.pendingConfirmation.value?.approve();
    await f.clock.advance(9_999);
    expect(f.session.phase.value).toBe('executing');
    await f.clock.advance(1);
    expect((await rejection(turn)).code).toBe('timeout');
    hang.runs[0]?.settle();
    await settle();
  });

  it('counts the time before the question', async () => {
    const more = gate();
    await using f = fixture([callTools('x', more, { tool: 'board.list' }), stall()], {
      domains: [createBoard().domain()],
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      limits: { timeoutMs: 10_000 },
    });
    const turn = f.session.send('Go');
    await f.clock.advance(6_000);
    more.open();
    await f.clock.advance(30_000);
    void f.session.pendingConfirmation.value?.approve();
    await f.clock.advance(3_999);
    expect(f.session.isRunning.value).toBe(true);
    await f.clock.advance(1);
    expect((await rejection(turn)).code).toBe('timeout');
  });

  it("the turn's clock stands still while only tools with their own `timeoutMs` run", async () => {
    const long = gatedTool('long', { timeoutMs: 300_000 });
    await using f = fixture([callTools({ tool: 'board.long' }), stall()], {
      domains: [{ id: 'board', tools: [long] }],
      limits: { timeoutMs: 10_000 },
    });
    const turn = f.session.send('Go');
    await f.clock.advance(4_000);
    await f.clock.advance(240_000);
    (await long.next()).settle();
    await settle();
    expect(f.session.budget.value.timeMs.spent).toBe(0);
    await f.clock.advance(9_999);
    expect(f.session.phase.value).toBe('streaming');
    await f.clock.advance(1);
    expect((await rejection(turn)).code).toBe('timeout');
  });

  it('runs while a tool runs that has no timeoutMs beside one that has', async () => {
    const [long, plain] = [
      gatedTool('long', { timeoutMs: 300_000, parallel: true }),
      gatedTool('plain', { parallel: true }),
    ];
    await using f = fixture([callTools({ tool: 'board.long' }, { tool: 'board.plain' }), stall()], {
      domains: [{ id: 'board', tools: [long, plain] }],
      limits: { timeoutMs: 10_000 },
    });
    const turn = f.session.send('Go');
    const run = await plain.next();
    await f.clock.advance(4_000);
    run.settle();
    await settle();
    // Only the tool with a time of its own is left.
    await f.clock.advance(100_000);
    (await long.next()).settle();
    await settle();
    await f.clock.advance(5_999);
    expect(f.session.isRunning.value).toBe(true);
    await f.clock.advance(1);
    expect((await rejection(turn)).code).toBe('timeout');
  });

  it("a tool's own `timeoutMs` may be longer than that of the turn", async () => {
    const long = gatedTool('long', { timeoutMs: 300_000 });
    await using f = fixture([callTools({ tool: 'board.long' }), say('Too slow.')], {
      domains: [{ id: 'board', tools: [long] }],
    });
    const turn = f.session.send('Go');
    await f.clock.advance(300_000);
    expect((await turn).text).toBe('Too slow.');
    expect(f.session.budget.value.timeMs.spent).toBe(0);
    long.runs[0]?.settle();
    await settle();
  });

  it('stands still while the model thinks', async () => {
    const [thought, more] = [gate(), gate()];
    await using f = fixture([say(['Well', more, ' then.'], { thinking: ['Hm', thought] })], {
      limits: { timeoutMs: 10_000 },
    });
    const turn = f.session.send('Go');
    await thought.reached;
    await f.clock.advance(200_000);
    thought.open();
    await more.reached;
    await f.clock.advance(9_999);
    expect(f.session.isRunning.value).toBe(true);
    await f.clock.advance(1);
    expect((await rejection(turn)).code).toBe('timeout');
  });

  it('Infinity sets no timer', async () => {
    const more = gate();
    await using f = fixture([say([more, 'x'])], { limits: { timeoutMs: Infinity } });
    const turn = f.session.send('Go');
    await settle();
    expect(f.clock.pending).toBe(0);
    more.open();
    await turn;
  });
});

describe('the budget of time', () => {
  const timeSpent = (f: Fixture) => f.session.budget.value.timeMs.spent;

  it('C15: a turn that failed by timeout after 60 s shows 60 s spent, and none left', async () => {
    await using f = fixture([stall('Hm')]);
    const turn = rejection(f.session.send('Go'));
    await f.clock.advance(60_000);
    expect((await turn).code).toBe('timeout');
    expect(f.session.budget.value.timeMs).toEqual({ spent: 60_000, left: 0 });
    expect(f.observed.operations.at(-1)).toMatchObject({ type: 'failed', budget: f.session.budget.value });
  });

  it.each([
    ['cancelled', { onTrip: 'fail' }],
    ['stopped', { onTrip: 'stop', timeoutMs: 7_000 }],
  ] as const)('C15: is right in the operation that ends a turn (%s)', async (type, limits) => {
    await using f = fixture([stall('Hm')], { limits });
    void f.session.send('Go');
    await f.clock.advance(7_000);
    await f.session.cancel();
    expect(f.observed.operations.at(-1)).toMatchObject({ type, budget: { timeMs: { spent: 7_000 } } });
    expect(timeSpent(f)).toBe(7_000);
  });

  it('C15: moves with each model call and each tool, not only between rounds', async () => {
    const more = gate();
    const [first, second] = [gatedTool('first'), gatedTool('second')];
    await using f = fixture(
      [
        callTools('x', usage({ outputTokens: 1 }), more, { tool: 'board.first' }, { tool: 'board.second' }),
        say('Done.'),
      ],
      { domains: [{ id: 'board', tools: [first, second] }] },
    );
    const turn = f.session.send('Go');
    await f.clock.advance(1_000);
    expect(timeSpent(f)).toBe(0);
    more.open();
    const run = await first.next();
    expect(timeSpent(f)).toBe(1_000);
    await f.clock.advance(2_000);
    run.settle();
    const other = await second.next();
    expect(timeSpent(f)).toBe(3_000);
    expect(f.session.budget.value.toolCalls).toEqual({ spent: 2, left: 10 });
    await f.clock.advance(500);
    other.settle();
    await turn;
    expect(timeSpent(f)).toBe(3_500);
  });
});

describe('tokens', () => {
  it('usage within one answer grows, and the last report counts, not the sum', async () => {
    await using f = fixture(
      [
        unsafe(
          usage({ outputTokens: 40 }),
          usage({ outputTokens: 80 }),
          'ok',
          { type: 'finish', reason: 'stop' },
          usage({ outputTokens: 90 }),
        ),
      ],
      { limits: { maxTokens: 100 } },
    );
    expect((await f.session.send('Go')).usage).toEqual({ outputTokens: 90 });
  });

  it('a provider that reports none trips nothing', async () => {
    await using f = fixture([say('x')], { limits: { maxTokens: 1, maxCost: 0.01 } });
    expect((await f.session.send('Go')).usage).toBeNull();
  });

  it('maxTokensPerRound goes to the provider', async () => {
    await using f = fixture([say('x'), say('y')], { limits: { maxTokensPerRound: 512 } });
    await f.session.send('Go');
    expect(f.provider.requests[0]?.maxOutputTokens).toBe(512);
    await f.session.send('Go', { limits: { maxTokensPerRound: Infinity } });
    expect(f.provider.requests[1]).not.toHaveProperty('maxOutputTokens');
  });
});

describe('limits of one turn', () => {
  it("go over the session's, for that turn only", async () => {
    const { f } = limited({ maxRounds: 3 }, [say('a'), callTools(addCard('A')), say('b')]);
    await using _ = f;
    expect((await f.session.send('Go', { limits: { maxRounds: 1 } })).text).toBe('a');
    expect((await f.session.send('Go')).text).toBe('b');
  });
});

describe('L2 L7 the same call with the same arguments', () => {
  const same = (work = spyTool('work', { execute: () => 'answer' }), rounds = 9) => {
    const f = fixture(
      Array.from({ length: rounds }, () => callTools({ tool: 'board.work', args: { b: 1, a: [2] } })),
      { domains: [{ id: 'board', tools: [work] }], limits: { maxRounds: 20 }, looseScript: true },
    );
    return { f, work };
  };

  it('the third is answered with an error result, the fifth trips repeated-call', async () => {
    const { f, work } = same();
    await using _ = f;
    expect((await rejection(f.session.send('Go'))).code).toBe('repeated-call');
    expect(work.runs).toHaveLength(2);
    expect(f.provider.requests).toHaveLength(5);
    const results = resultTexts(f.provider.requests[4]!);
    expect(results.map((text) => (/before/.test(text) ? 'repeated' : text))).toEqual([
      'answer',
      'answer',
      'repeated',
      'repeated',
    ]);
    const rejected = f.observed.operations.flatMap((op) => (op.type === 'toolsRejected' ? op.calls : []));
    expect(rejected.map((call) => call.reason)).toEqual(['repeated', 'repeated']);
  });

  it('the order of keys does not matter, other arguments do', async () => {
    const work = spyTool('work', { execute: () => 'answer' });
    await using f = fixture(
      [
        callTools({ tool: 'board.work', argumentsText: '{"a":1,"b":2}' }),
        callTools({ tool: 'board.work', argumentsText: '{"b":2, "a":1}' }),
        callTools({ tool: 'board.work', argumentsText: '{ "a" : 1, "b" : 2 }' }),
        callTools({ tool: 'board.work', argumentsText: '{"a":1,"b":3}' }),
        say('Done.'),
      ],
      { domains: [{ id: 'board', tools: [work] }] },
    );
    await f.session.send('Go');
    expect(work.runs).toHaveLength(3);
  });

  it('another success in between starts the count anew', async () => {
    const work = spyTool('work', { execute: () => 'answer' });
    const other = spyTool('other');
    const call = callTools({ tool: 'board.work' });
    await using f = fixture([call, call, callTools({ tool: 'board.other' }), call, call, say('Done.')], {
      domains: [{ id: 'board', tools: [work, other] }],
    });
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(work.runs).toHaveLength(4);
  });

  it('a failure in between does not', async () => {
    const work = spyTool('work', { execute: () => 'answer' });
    const broken = spyTool('broken', { execute: () => Promise.reject(new Error('no')) });
    const call = callTools({ tool: 'board.work' });
    await using f = fixture([call, call, callTools({ tool: 'board.broken' }), call, say('Done.')], {
      domains: [{ id: 'board', tools: [work, broken] }],
    });
    await f.session.send('Go');
    expect(work.runs).toHaveLength(2);
  });

  it('a call that fails again and again counts too', async () => {
    const { f, work } = same(spyTool('work', { execute: () => Promise.reject(new Error('no')) }));
    await using _ = f;
    expect((await rejection(f.session.send('Go'))).code).toBe('repeated-call');
    expect(work.runs).toHaveLength(2);
  });

  it('counts anew in each turn', async () => {
    const work = spyTool('work', { execute: () => 'answer' });
    const call = callTools({ tool: 'board.work' });
    await using f = fixture([call, call, say('x'), call, call, say('y')], {
      domains: [{ id: 'board', tools: [work] }],
    });
    await f.session.send('Go');
    await f.session.send('Go');
    expect(work.runs).toHaveLength(4);
  });

  it("stops the turn if onTrip is 'stop'", async () => {
    const { f } = same();
    await using _ = f;
    expect(await f.session.send('Go', { limits: { onTrip: 'stop' } })).toMatchObject({
      status: 'stopped',
      stop: { kind: 'limit' },
    });
    f.provider.push(say('x'));
  });

  it('L3 a completed turn sends nothing more, however long the page stays open', async () => {
    await using f = fixture([callTools(addCard('A')), say('Done.')], { domains: [createBoard().domain()] });
    await f.session.send('Go');
    await f.clock.advance(86_400_000);
    expect(f.provider.requests).toHaveLength(2);
  });

  it('L8 the cap holds although everything is approved automatically', async () => {
    const { f } = limited({}, [], {
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      confirm: () => ({ approve: true }),
    });
    await using _ = f;
    expect((await rejection(f.session.send('Go'))).code).toBe('max-rounds');
  });
});
