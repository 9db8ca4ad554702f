// A limit that tripped asks the user for more.
import { beforeAll, describe, expect, it } from 'vitest';
import {
  callInside,
  callTools,
  fail,
  failAfter,
  finishWith,
  forcedGuard,
  gate,
  gatedTool,
  say,
  settle,
  stall,
  type AnswerSource,
} from '@banister/testing';
import {
  stop,
  UndoHistory,
  type Extension,
  type ExtensionDecision,
  type Limits,
  type Operation,
} from '@banister/session';
import type { UsageReport } from '@banister/provider';
import { addCard, createBoard } from './board.js';
import { generateLoaded } from './generate-loaded.js';
import { atOperation, fixture, outline, rejection, type Fixture, type FixtureOptions } from './fixture.js';

beforeAll(generateLoaded);

const usage = (report: UsageReport) => ({ type: 'usage', usage: report }) as const;
const cost = (amount: number) => usage({ cost: { amount, currency: 'EUR' } });
const hour = 3_600_000;

/** A session that asks; its board has the tool `hang`, which a test ends. */
function asking(limits: Partial<Limits>, answers: readonly AnswerSource[], options: FixtureOptions = {}) {
  const board = createBoard();
  const hang = gatedTool('hang');
  const look = gatedTool('look', { capabilities: ['readOnly'] });
  const f = fixture(answers, {
    domains: [board.domain(hang, look)],
    history: new UndoHistory(),
    looseScript: true,
    ...options,
    limits: { onTrip: 'ask', toolTimeoutMs: hour, ...limits },
  });
  return { ...f, board, hang, look };
}

async function asked(f: Pick<Fixture, 'session'>): Promise<Extension> {
  await settle();
  const request = f.session.pendingExtension.value;
  if (request === null) throw new Error('No request is open.');
  return request;
}

const requests = ({ observed }: Pick<Fixture, 'observed'>) =>
  observed.operations.filter(({ type }) => type === 'extensionRequested').length;
const resolved = ({ observed }: Pick<Fixture, 'observed'>) =>
  observed.operations.flatMap((operation) =>
    operation.type === 'extensionResolved' ? [operation.decision] : [],
  );
const typesOf = (operations: readonly Operation[]) => operations.map(({ type }) => type);

/** One way in which each limit trips. */
const trips: readonly {
  readonly limit: Extension['limit'];
  readonly limits: Partial<Limits>;
  readonly answers: readonly AnswerSource[];
  readonly spent: number;
  readonly allowed: number;
  /** The time that passes before the trip. */
  readonly after?: number;
  readonly kept: readonly string[];
  readonly code: string;
}[] = [
  {
    limit: 'maxRounds',
    limits: { maxRounds: 1 },
    answers: [callTools(addCard('A')), say('Done.')],
    spent: 1,
    allowed: 1,
    kept: ['A'],
    code: '1 round.',
  },
  {
    limit: 'maxToolCalls',
    limits: { maxToolCalls: 1 },
    answers: [callTools(addCard('A'), addCard('B')), say('Done.')],
    spent: 1,
    allowed: 1,
    kept: ['A'],
    code: '1 tool call.',
  },
  {
    limit: 'maxTokens',
    limits: { maxTokens: 100 },
    answers: [callTools(addCard('A')), callTools(addCard('B'), usage({ inputTokens: 140 })), say('Done.')],
    spent: 140,
    allowed: 100,
    kept: ['A'],
    code: 'tokens',
  },
  {
    limit: 'maxCost',
    limits: { maxCost: 1 },
    answers: [callTools(addCard('A')), callTools(cost(1.5), addCard('B')), say('Done.')],
    spent: 1.5,
    allowed: 1,
    kept: ['A'],
    code: 'EUR',
  },
  {
    limit: 'session.maxTokens',
    limits: { session: { maxTokens: 100, maxCost: Infinity } },
    answers: [callTools(addCard('A'), usage({ inputTokens: 100 })), say('Done.')],
    spent: 100,
    allowed: 100,
    kept: ['A'],
    code: 'tokens',
  },
  {
    limit: 'session.maxCost',
    limits: { session: { maxTokens: Infinity, maxCost: 2 } },
    answers: [callTools(addCard('A')), callTools(addCard('B'), cost(2.5)), say('Done.')],
    spent: 2.5,
    allowed: 2,
    kept: ['A'],
    code: 'EUR',
  },
  {
    limit: 'timeoutMs',
    limits: { timeoutMs: 10_000 },
    answers: [callTools(addCard('A')), stall('Half')],
    spent: 10_000,
    allowed: 10_000,
    after: 10_000,
    kept: ['A'],
    code: '10 seconds',
  },
  {
    limit: 'maxThinkingMs',
    limits: { maxThinkingMs: 20_000 },
    answers: [callTools(addCard('A')), stall({ type: 'thinking', delta: 'Hm' })],
    spent: 20_000,
    allowed: 20_000,
    after: 20_000,
    kept: ['A'],
    code: '20 seconds',
  },
];

describe.each(trips)('$limit', ({ limit, limits, answers, spent, allowed, after = 0, kept, code }) => {
  const start = async () => {
    const f = asking(limits, answers);
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(after);
    return { f, turn, request: await asked(f) };
  };

  it("with `onTrip: 'ask'` a limit asks instead of ending the turn: `pendingExtension` has the spent amount, the limit and a suggestion", async () => {
    const { f, turn, request } = await start();
    await using _ = f;
    expect(request).toMatchObject({ limit, spent, allowed, suggested: allowed });
    expect(request.expiresAt).toBe(f.clock.now() + 45_000);
    expect(f.session.phase.value).toBe('confirming');
    expect(f.session.isRunning.value).toBe(true);
    expect(f.board.titles).toEqual(kept);
    expect(requests(f)).toBe(1);
    await request.end();
    await turn;
  });

  it('`end` stops the turn, keeps its effects, and gives every call a result', async () => {
    const { f, turn, request } = await start();
    await using _ = f;
    expect(await request.end()).toBe('accepted');
    const result = await turn;
    expect(result).toMatchObject({ status: 'stopped', stop: { kind: 'limit' } });
    expect(result.stop?.message).toContain(code);
    expect(f.board.titles).toEqual(kept);
    expect(resolved(f)).toEqual(['ended']);
    expect(f.session.pendingExtension.value).toBeNull();
    expect(await request.extend()).toBe('already-settled');
  });

  it('a timeout of the request has the same effect as `end`', async () => {
    const { f, turn } = await start();
    await using _ = f;
    await f.clock.advance(44_999);
    expect(f.session.pendingExtension.value).not.toBeNull();
    await f.clock.advance(1);
    expect((await turn).status).toBe('stopped');
    expect(f.board.titles).toEqual(kept);
    expect(resolved(f)).toEqual(['timed-out']);
  });

  it('an extension lets the turn continue, is shown in `budget`, and applies only to this turn', async () => {
    const { f, turn, request } = await start();
    await using _ = f;
    expect(await request.extend()).toBe('accepted');
    expect(f.session.pendingExtension.value).toBeNull();
    const given = f.observed.operations.find(({ type }) => type === 'extensionResolved');
    const next = Math.max(spent, allowed) + allowed;
    expect(given).toMatchObject({ decision: 'extended', amount: allowed, allowed: next });
    await settle();
    if (after > 0) {
      await f.clock.advance(allowed - 1);
      expect(f.session.phase.value).toBe('streaming');
      await f.clock.advance(1);
      const again = await asked(f);
      expect(again).toMatchObject({ limit, spent: next, allowed: next, suggested: allowed });
      await again.end();
      expect((await turn).status).toBe('stopped');
      expect(f.session.budget.value.timeMs.left).toBe(limit === 'timeoutMs' ? 0 : 60_000);
      return;
    }
    expect((await turn).text).toBe('Done.');
    f.provider.push(callTools(addCard('X'), addCard('Y')), say('Fine.'));
    const second = f.session.send('Next');
    const before = limit === 'maxRounds' || limit === 'maxToolCalls' || limit.startsWith('session.');
    if (before) await (await asked(f)).end();
    await second;
    expect(requests(f)).toBe(before ? 2 : 1);
  });

  it.each([
    ['a negative one', { extend: { [limit]: -1 } }],
    ['0', { extend: { [limit]: 0 } }],
    ['no number', { extend: { [limit]: NaN } }],
    ['a text', { extend: { [limit]: '5' } }],
    ['an infinite one', { extend: { [limit]: Infinity } }],
    ['a huge one', { extend: { [limit]: 1e15 } }],
    ['another limit', { extend: { [limit === 'maxCost' ? 'maxTokens' : 'maxCost']: 1 } }],
    ['a limit that nothing extends', { extend: { maxRebuilds: 1 } }],
    ['both answers', { extend: {}, end: true }],
    ['an end that is none', { end: false }],
    ['a decision about a call', { approve: true }],
    ['null', null],
  ])('an answer with %s names its errors, and leaves the request open', async (_name, decision) => {
    const { f, turn, request } = await start();
    await using _ = f;
    const answer = await f.session.respond(request.id, decision as ExtensionDecision);
    expect(answer).toEqual({ errors: [expect.stringMatching(/exten/)] });
    expect(f.session.pendingExtension.value).toBe(request);
    await request.end();
    await turn;
  });

  it('a cancel ends the turn at once, and undoes its effects', async () => {
    const { f, turn } = await start();
    await using _ = f;
    const report = await f.session.cancel();
    expect(report.landed).toBe('confirming');
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(f.board.titles).toEqual([]);
    expect(resolved(f)).toEqual(['cancelled']);
  });

  it('an abort ends the turn at once too', async () => {
    const { f, turn } = await start();
    await using _ = f;
    await f.session.cancel({ immediate: true });
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(f.board.titles).toEqual([]);
    expect(resolved(f)).toEqual(['cancelled']);
  });
});

describe('while an answer streams', () => {
  it('time: an answer continues, and a complete answer needs no extension', async () => {
    const rest = gate();
    await using f = asking({ timeoutMs: 10_000 }, [say(['One', rest, ' two'])]);
    const turn = f.session.send('Go');
    await rest.reached;
    await f.clock.advance(10_000);
    const request = await asked(f);
    await f.clock.advance(30_000);
    rest.open();
    expect((await turn).text).toBe('One two');
    expect(resolved(f)).toEqual(['not-needed']);
    expect(await request.extend()).toBe('already-settled');
    expect(f.session.budget.value.timeMs).toEqual({ spent: 10_000, left: 0 });
  });

  it('time: the calls of the answer wait, and are shown', async () => {
    const rest = gate();
    await using f = asking({ timeoutMs: 10_000 }, [callTools('Well', rest, addCard('A')), say('Done.')]);
    const turn = f.session.send('Go');
    await rest.reached;
    await f.clock.advance(10_000);
    const request = await asked(f);
    rest.open();
    await settle();
    expect(f.session.activeToolCalls.value.map(({ state }) => state)).toEqual(['waiting']);
    expect(f.session.phase.value).toBe('confirming');
    expect(f.board.titles).toEqual([]);
    await request.extend();
    expect((await turn).text).toBe('Well\n\nDone.');
    expect(f.board.titles).toEqual(['A']);
  });

  it('an extension during the answer leads back to its phase', async () => {
    const rest = gate();
    await using f = asking({ timeoutMs: 10_000 }, [say(['One', rest, ' two'])]);
    const turn = f.session.send('Go');
    await rest.reached;
    await f.clock.advance(10_000);
    await (await asked(f)).extend(3_000);
    expect(f.session.phase.value).toBe('streaming');
    expect(f.session.budget.value.timeMs).toEqual({ spent: 10_000, left: 3_000 });
    await f.clock.advance(3_000);
    expect(await asked(f)).toMatchObject({ spent: 13_000, allowed: 13_000, suggested: 10_000 });
    rest.open();
    await turn;
  });

  it('tokens and money: the answer runs to its end, and a final answer asks for nothing', async () => {
    await using f = asking({ maxTokens: 10, maxCost: 1 }, [
      finishWith('stop', usage({ outputTokens: 50 }), 'All of it.', cost(9)),
    ]);
    expect((await f.session.send('Go')).text).toBe('All of it.');
    expect(requests(f)).toBe(0);
  });

  it('two limits ask one after the other', async () => {
    await using f = asking({ maxTokens: 10, maxCost: 1 }, [
      callTools(addCard('A'), usage({ outputTokens: 50, cost: { amount: 3, currency: 'EUR' } })),
      say('Done.'),
    ]);
    const turn = f.session.send('Go');
    const tokens = await asked(f);
    expect(tokens).toMatchObject({ limit: 'maxTokens', spent: 50 });
    await tokens.extend(1);
    const money = await asked(f);
    expect(money).toMatchObject({ limit: 'maxCost', spent: 3, currency: 'EUR' });
    expect(f.session.budget.value.tokens.left).toBe(1);
    await money.extend(0.5);
    await turn;
    expect(f.board.titles).toEqual(['A']);
  });

  it('a failure of the answer closes the request, and the turn fails', async () => {
    const rest = gate();
    await using f = asking({ timeoutMs: 10_000, maxRetries: 0 }, [
      callTools(addCard('A')),
      failAfter(['Half', rest], 'server'),
    ]);
    const turn = f.session.send('Go');
    await rest.reached;
    await f.clock.advance(10_000);
    await asked(f);
    rest.open();
    await rejection(turn);
    expect(resolved(f)).toEqual(['cancelled']);
    expect(f.board.titles).toEqual([]);
    expect(f.session.pendingExtension.value).toBeNull();
  });
});

describe('while tools run', () => {
  const hanging = callTools({ tool: 'board.hang' }, addCard('B'));

  it('time: running tools continue, and no other tool starts', async () => {
    await using f = asking({ timeoutMs: 10_000 }, [hanging, say('Done.')]);
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(10_000);
    const request = await asked(f);
    expect(f.hang.runs[0]?.context.signal.aborted).toBe(false);
    f.hang.runs[0]?.settle('slow but done');
    await settle();
    expect(f.board.titles).toEqual([]);
    expect(f.session.phase.value).toBe('confirming');
    await request.extend();
    expect((await turn).text).toBe('Done.');
    expect(f.board.titles).toEqual(['B']);
  });

  it('time: `end` cuts running tools', async () => {
    await using f = asking({ timeoutMs: 10_000 }, [
      callTools(addCard('A'), { tool: 'board.hang' }, addCard('B')),
    ]);
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(10_000);
    await (await asked(f)).end();
    expect((await turn).status).toBe('stopped');
    expect(f.hang.runs[0]?.context.signal.aborted).toBe(true);
    expect(outline(f.session.conversation.value.messages).at(-1)).toBe(
      'user: result success | result timed-out | result rejected',
    );
    expect(f.board.titles).toEqual(['A']);
    f.hang.runs[0]?.settle();
    await settle();
  });

  it('running calls continue beside the waiting call', async () => {
    const look = { tool: 'board.look' };
    await using f = asking({ maxToolCalls: 2 }, [
      callTools(look, look, { tool: 'board.list' }),
      say('Done.'),
    ]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    expect(request).toMatchObject({ limit: 'maxToolCalls', spent: 2 });
    const views = () => f.session.activeToolCalls.value.map(({ state }) => state);
    expect(views()).toEqual(['executing', 'executing', 'waiting']);
    await request.extend(1);
    await settle();
    expect(views()).toEqual(['executing', 'executing', 'settled']);
    for (const run of f.look.runs) run.settle();
    expect((await turn).text).toBe('Done.');
  });

  it('a cancel lets running calls finish, and closes the request at once', async () => {
    await using f = asking({ timeoutMs: 10_000 }, [hanging]);
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(10_000);
    const request = await asked(f);
    const cancelled = f.session.cancel();
    expect(f.session.pendingExtension.value).toBeNull();
    expect(f.session.phase.value).toBe('cancelling');
    expect(await request.extend()).toBe('already-settled');
    await f.clock.advance(100_000);
    expect(f.session.isRunning.value).toBe(true);
    f.hang.runs[0]?.settle();
    await cancelled;
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(f.board.titles).toEqual([]);
  });

  it('after a cancel, limits do not ask', async () => {
    await using f = asking({ timeoutMs: 10_000 }, [hanging]);
    const turn = f.session.send('Go');
    await settle();
    const cancelled = f.session.cancel();
    await f.clock.advance(20_000);
    expect(requests(f)).toBe(0);
    f.hang.runs[0]?.settle();
    await cancelled;
    expect((await rejection(turn)).code).toBe('cancelled');
  });

  it('after a cancel, the time limit cuts running calls', async () => {
    await using f = asking({ timeoutMs: 10_000 }, [hanging]);
    const turn = f.session.send('Go');
    await settle();
    const cancelled = f.session.cancel();
    await f.clock.advance(10_000);
    expect(f.hang.runs[0]!.context.signal.aborted).toBe(true);
    expect((await rejection(turn)).code).toBe('cancelled');
    await cancelled;
  });

  /** A call whose mode was changed to b while an earlier one ran, and for which time runs out while the guard of b decides. */
  async function decidedAgain() {
    const deciding = gate();
    const slow = async () => {
      await deciding.pass();
      return 'allow' as const;
    };
    const f = asking({ timeoutMs: 10_000 }, [hanging, say('Done.')], {
      modes: [
        { id: 'a', title: 'A', guards: [] },
        { id: 'b', title: 'B', guards: [forcedGuard('slow', slow)] },
        { id: 'c', title: 'C', guards: [forcedGuard('plan', { deny: 'Plan only.' })] },
      ],
    });
    const turn = f.session.send('Go');
    await settle();
    await f.session.setMode('b');
    f.hang.runs[0]!.settle();
    await deciding.reached;
    await f.clock.advance(10_000);
    const request = await asked(f);
    deciding.open();
    await settle();
    return { ...f, turn, request };
  }

  it('a call that is decided again also waits for the time extension', async () => {
    await using f = await decidedAgain();
    expect(f.board.titles).toEqual([]);
    await f.request.extend();
    expect((await f.turn).text).toBe('Done.');
    expect(f.board.titles).toEqual(['B']);
  });

  it('after that wait, the current mode decides about the call', async () => {
    await using f = await decidedAgain();
    await f.session.setMode('c');
    await f.request.extend();
    expect((await f.turn).text).toBe('Done.');
    expect(f.board.titles).toEqual([]);
  });

  it('after a cancel that closed a request for more calls, the time limit cuts running calls', async () => {
    const side = gatedTool('side', { parallel: true });
    const call = { tool: 'board.side' };
    await using f = asking({ maxToolCalls: 1, timeoutMs: 10_000 }, [callTools(call, call)], {
      domains: [{ id: 'board', tools: [side] }],
    });
    const turn = f.session.send('Go');
    await asked(f);
    const cancelled = f.session.cancel();
    await settle();
    expect(side.runs.map(({ context }) => context.signal.aborted)).toEqual([false]);
    await f.clock.advance(10_000);
    expect(side.runs.map(({ context }) => context.signal.aborted)).toEqual([true]);
    expect((await rejection(turn)).code).toBe('cancelled');
    await cancelled;
  });

  it('a tool that stops the turn needs no extension', async () => {
    const stops = gatedTool('stops');
    await using f = fixture([callTools({ tool: 'board.stops' })], {
      domains: [{ id: 'board', tools: [stops] }],
      limits: { onTrip: 'ask', timeoutMs: 10_000, toolTimeoutMs: hour },
    });
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(10_000);
    await asked(f);
    stops.runs[0]?.settle(stop('Enough.'));
    expect((await turn).stop).toMatchObject({ kind: 'tool' });
    expect(resolved(f)).toEqual(['not-needed']);
  });
});

describe('while the user is asked about a call', () => {
  it.each(['extension', 'confirmation'] as const)(
    'both questions are open, and the %s may be answered first',
    async (first) => {
      const deciding = gate();
      const slow = async () => {
        await deciding.pass();
        return { confirm: 'Sure?' };
      };
      await using f = asking({ timeoutMs: 10_000 }, [callTools(addCard('A')), say('Done.')], {
        guards: [forcedGuard('slow', slow)],
      });
      const turn = f.session.send('Go');
      await deciding.reached;
      await f.clock.advance(10_000);
      const request = await asked(f);
      deciding.open();
      await settle();
      const confirmation = f.session.pendingConfirmation.value!;
      if (first === 'extension') await request.extend();
      else await confirmation.approve();
      await settle();
      expect(f.session.phase.value).toBe('confirming');
      expect(f.board.titles).toEqual([]);
      // The clock stands still while one of the two is open.
      await f.clock.advance(30_000);
      if (first === 'extension') await confirmation.approve();
      else await request.extend();
      expect((await turn).text).toBe('Done.');
      expect(f.board.titles).toEqual(['A']);
      expect(requests(f)).toBe(1);
    },
  );

  it('an approved call then waits for the extension of the number of calls', async () => {
    await using f = asking({ maxToolCalls: 1 }, [callTools(addCard('A'), addCard('B')), say('Done.')], {
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
    });
    const turn = f.session.send('Go');
    await settle();
    for (const confirmation of f.session.pendingConfirmations.value) await confirmation.approve();
    await (await asked(f)).extend(1);
    expect((await turn).text).toBe('Done.');
    expect(f.board.titles).toEqual(['A', 'B']);
  });

  it('`end` closes the open question too', async () => {
    const deciding = gate();
    const slow = async () => {
      await deciding.pass();
      return { confirm: 'Sure?' };
    };
    await using f = asking({ timeoutMs: 10_000 }, [callTools(addCard('A'))], {
      guards: [forcedGuard('slow', slow)],
    });
    const turn = f.session.send('Go');
    await deciding.reached;
    await f.clock.advance(10_000);
    deciding.open();
    await (await asked(f)).end();
    expect((await turn).status).toBe('stopped');
    expect(f.session.pendingConfirmations.value).toEqual([]);
    expect(f.board.titles).toEqual([]);
  });

  it('the option `confirm` gets only calls, not requests for extensions', async () => {
    const seen: string[] = [];
    await using f = asking({ maxToolCalls: 1 }, [callTools(addCard('A'), addCard('B')), say('Done.')], {
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      confirm: ({ call }) => {
        seen.push(call.id);
        return { approve: true };
      },
    });
    const turn = f.session.send('Go');
    await (await asked(f)).extend();
    await turn;
    expect(seen).toHaveLength(2);
  });

  it('a call that a handler approves after a cancel does not ask for an extension, and does not run beyond a limit', async () => {
    const deciding = gate();
    await using f = asking({ maxToolCalls: 0 }, [callTools(addCard('A'))], {
      guards: [forcedGuard('ask', { confirm: 'Sure?' })],
      confirm: async () => {
        await deciding.pass();
        return { approve: true };
      },
    });
    const turn = f.session.send('Go');
    await deciding.reached;
    const cancelled = f.session.cancel();
    deciding.open();
    await cancelled;
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(requests(f)).toBe(0);
    expect(f.board.titles).toEqual([]);
  });
});

describe('limits that never ask', () => {
  it.each([
    {
      name: 'repeated-call',
      limits: {},
      answers: Array.from({ length: 5 }, () => callTools({ tool: 'board.list' })),
      message: /again and again/,
    },
    {
      name: 'maxCallsPerAnswer',
      limits: { maxCallsPerAnswer: 1 },
      answers: [callTools(addCard('A')), callTools(addCard('B'), addCard('C'))],
      message: /more than 1 tool call in one answer/,
    },
  ])('$name stops the turn, and keeps its effects', async ({ limits, answers, message }) => {
    await using f = asking(limits, answers);
    const result = await f.session.send('Go');
    expect(result).toMatchObject({ status: 'stopped', stop: { kind: 'limit' } });
    expect(result.stop?.message).toMatch(message);
    expect(requests(f)).toBe(0);
  });

  it('a limit of 0 asks for 1 more', async () => {
    await using f = asking({ maxToolCalls: 0 }, [callTools(addCard('A')), say('Done.')]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    expect(request).toMatchObject({ spent: 0, allowed: 0, suggested: 1 });
    await request.extend();
    await turn;
    expect(f.board.titles).toEqual(['A']);
  });
});

describe('extensions', () => {
  const restless: AnswerSource = (_request, n) => callTools(addCard(`card ${n}`));

  it('each extension adds to the allowed amount, and the limit asks again when it is used up', async () => {
    await using f = asking({ maxRounds: 1 }, [], { scripted: { otherwise: restless } });
    const turn = f.session.send('Go');
    const allowed: number[] = [];
    for (const by of [2, undefined, 3]) {
      const request = await asked(f);
      allowed.push(request.allowed);
      expect(request.suggested).toBe(1);
      await request.extend(by);
    }
    expect((await asked(f)).allowed).toBe(7);
    expect(allowed).toEqual([1, 3, 4]);
    await f.session.pendingExtension.value?.end();
    expect((await turn).rounds).toBe(7);
  });

  it('give at most a hundred times the limit', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A')), say('Done.')]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    expect(await request.extend(101)).toEqual({ errors: [expect.stringMatching(/above 100/)] });
    expect(await request.extend(100)).toBe('accepted');
    await turn;
  });

  it('an answer whose getter throws is refused, and the request stays open', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A')), say('Done.')]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    const throws = Object.defineProperty({}, 'extend', {
      enumerable: true,
      get: () => {
        throw new Error('Not today');
      },
    }) as never;
    expect(await f.session.respond(request.id, throws)).toEqual({
      errors: ['The answer cannot be read: Not today.'],
    });
    expect(await request.extend()).toBe('accepted');
    await turn;
  });

  it('can be requested for a single turn, by the options of `send`', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), say('Done.'), callTools(addCard('B'))], {
      domains: [board.domain()],
      history: new UndoHistory(),
      limits: { maxRounds: 1 },
    });
    const turn = f.session.send('Go', { limits: { onTrip: 'ask' } });
    await (await asked(f)).extend();
    await turn;
    expect((await rejection(f.session.send('Next'))).code).toBe('max-rounds');
    expect(board.titles).toEqual(['A']);
  });

  it('can be answered inside the subscriber of their operation', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A')), say('Done.')]);
    atOperation(f.session, 'extensionRequested', () => void f.session.pendingExtension.value?.extend());
    expect((await f.session.send('Go')).text).toBe('Done.');
  });

  it('can be ended inside the subscriber of their operation', async () => {
    await using f = asking({ timeoutMs: 10_000 }, [stall('Half')]);
    atOperation(f.session, 'extensionRequested', () => void f.session.pendingExtension.value?.end());
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(10_000);
    expect((await turn).text).toBe('Half');
  });

  it('a cancel inside the subscriber of the operation ends the turn', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A'))]);
    atOperation(f.session, 'extensionRequested', () => void f.session.cancel());
    expect((await rejection(f.session.send('Go'))).code).toBe('cancelled');
  });

  it('wait without a timeout if `confirmationTimeoutMs` is Infinity', async () => {
    await using f = asking({ maxRounds: 1, confirmationTimeoutMs: Infinity }, [
      callTools(addCard('A')),
      say('Done.'),
    ]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    expect(request.expiresAt).toBeNull();
    await f.clock.advance(100 * hour);
    await request.extend();
    expect((await turn).text).toBe('Done.');
  });

  it('the clock of the turn stands still while the request is open', async () => {
    await using f = asking({ maxRounds: 1, timeoutMs: 20_000 }, [callTools(addCard('A')), stall('Half')]);
    const turn = f.session.send('Go');
    await settle();
    await f.clock.advance(40_000);
    await (await asked(f)).extend();
    await settle();
    await f.clock.advance(19_999);
    expect(f.session.phase.value).toBe('streaming');
    await f.clock.advance(1);
    expect(await asked(f)).toMatchObject({ limit: 'timeoutMs', spent: 20_000 });
    await f.session.pendingExtension.value?.end();
    await turn;
  });

  it('a retry of a request waits too', async () => {
    await using f = asking({ timeoutMs: 10_000 }, [fail('overloaded'), say('Done.')]);
    const turn = f.session.send('Go', { limits: { timeoutMs: 100 } });
    await settle();
    await f.clock.advance(100);
    const request = await asked(f);
    await f.clock.advance(5_000);
    expect(f.provider.requests).toHaveLength(1);
    expect(f.session.phase.value).toBe('confirming');
    await request.extend();
    expect((await turn).text).toBe('Done.');
  });

  it('a call inside an answer waits, and the answer continues with its result', async () => {
    await using f = asking({ maxToolCalls: 1 }, [
      finishWith('stop', 'One. ', callInside(addCard('A')), 'Two. ', callInside(addCard('B')), 'Three.'),
    ]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    expect(f.board.titles).toEqual(['A']);
    await request.extend();
    await turn;
    expect(f.board.titles).toEqual(['A', 'B']);
  });

  it('a mode switch does not affect the request', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A')), say('Done.')], {
      modes: [
        { id: 'a', title: 'A', guards: [] },
        { id: 'b', title: 'B', guards: [] },
      ],
    });
    const turn = f.session.send('Go');
    const request = await asked(f);
    await f.session.setMode('b');
    expect(f.session.pendingExtension.value).toBe(request);
    await request.extend();
    await turn;
  });

  it('a message that steers joins before the next round, and the queue waits', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A')), say('Done.'), say('Later.')]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    const steered = f.session.steer('Blue, please');
    const queued = f.session.enqueue('Then this');
    await settle();
    expect(f.provider.requests).toHaveLength(1);
    await request.extend();
    expect((await turn).text).toBe('Done.');
    expect(await steered).toBe('joined');
    await f.clock.advance(1);
    expect(await queued).toBe('completed');
  });

  it('a message that steers while the model exceeds its thinking time stays in the queue, and causes no further round', async () => {
    const rest = gate();
    await using f = asking({ maxThinkingMs: 10_000 }, [
      say([rest, 'One'], { thinking: ['Hm'] }),
      say('Then.'),
    ]);
    const turn = f.session.send('Go');
    await rest.reached;
    await f.clock.advance(10_000);
    await asked(f);
    const steered = f.session.steer('Blue, please');
    rest.open();
    expect((await turn).text).toBe('One');
    expect(resolved(f)).toEqual(['not-needed']);
    expect(await steered).toBe('queued');
    await f.clock.advance(1);
    await settle();
    expect(f.session.turns.value).toHaveLength(2);
  });

  it('a message that steers a turn that is ended stays in the queue', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A')), say('Then.')]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    const steered = f.session.steer('Blue, please');
    await settle();
    await request.end();
    await turn;
    expect(await steered).toBe('queued');
    await f.clock.advance(1);
    await settle();
  });

  it('`end` fails a turn of `generate` with the code of the limit, because without output it has no result', async () => {
    await using f = asking({ timeoutMs: 10_000 }, [stall()]);
    const output = f.session.generate('A title', { type: 'object', properties: {} });
    await settle();
    await f.clock.advance(10_000);
    await (await asked(f)).end();
    expect((await rejection(output)).code).toBe('timeout');
  });

  it('`dispose` during a request leaves no timer', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A'))]);
    const turn = f.session.send('Go');
    const request = await asked(f);
    await f.session.dispose();
    await rejection(turn);
    expect((await request.extend().catch((error: unknown) => error)) !== 'accepted').toBe(true);
    expect(f.clock.pending).toBe(0);
  });

  it('the methods are detachable, the object keeps its identity, and a second answer is too late', async () => {
    await using f = asking({ maxRounds: 1 }, [callTools(addCard('A')), say('Done.')]);
    const turn = f.session.send('Go');
    const { extend, end } = await asked(f);
    expect(await Promise.all([extend(), end(), extend(4)])).toEqual([
      'accepted',
      'already-settled',
      'already-settled',
    ]);
    expect((await turn).text).toBe('Done.');
    expect(typesOf(f.observed.operations).filter((type) => type === 'extensionResolved')).toHaveLength(1);
  });

  it('if the write of the request is refused, the turn fails', async () => {
    let isRefusing = false;
    await using f = asking({ timeoutMs: 10_000 }, [stall('Half')], {
      ports: {
        journal: {
          write: () => {
            if (isRefusing) throw new Error('The disk is full.');
          },
        },
      },
      reportsErrors: true,
    });
    const turn = f.session.send('Go');
    await settle();
    isRefusing = true;
    await f.clock.advance(10_000);
    expect((await rejection(turn)).code).toBe('storage');
    expect(f.session.pendingExtension.value).toBeNull();
  });
});
