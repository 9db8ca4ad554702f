// The one retry layer.
import { describe, expect, it } from 'vitest';
import { callTools, cut, fail, failAfter, say, settle, type ScriptedAnswer } from '@banister/testing';
import { AgentSessionError, effect, type ErrorCode, type RetryHint } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, type Fixture } from './fixture.js';

const retrying = (f: Fixture) => f.observed.operations.flatMap((op) => (op.type === 'retrying' ? [op] : []));
const failWith = (code: ErrorCode, retry?: RetryHint) =>
  fail(new AgentSessionError(code, 'Try later.', { retry }));

/** Advances the clock until the turn has ended. */
async function finished(f: Fixture) {
  const turn = f.session.send('Go').then(
    (result) => result.status,
    (error: AgentSessionError) => error.code,
  );
  await f.clock.advance(59_000);
  return turn;
}

describe('backoff', () => {
  it('doubles from half a second, three times, and states each attempt', async () => {
    await using f = fixture([fail('overloaded'), fail('overloaded'), fail('overloaded'), say('Done.')]);
    expect(await finished(f)).toBe('completed');
    expect(retrying(f)).toMatchObject([
      { attempt: 2, maxAttempts: 4, delayMs: 500, code: 'overloaded', reason: expect.any(String) },
      { attempt: 3, maxAttempts: 4, delayMs: 1_000 },
      { attempt: 4, maxAttempts: 4, delayMs: 2_000 },
    ]);
    expect(f.provider.requests).toHaveLength(4);
    expect(f.session.lastOutcome.value?.rounds).toBe(1);
  });

  it.each([
    [0, 375],
    [0.5, 500],
    [0.999_999, 625],
  ])('varies by a quarter: random %f gives %i ms', async (random, delayMs) => {
    await using f = fixture([fail('overloaded'), say('Done.')], { ports: { random: () => random } });
    await finished(f);
    expect(retrying(f)).toMatchObject([{ delayMs }]);
  });

  it('is at most 16 s', async () => {
    await using f = fixture([...Array.from({ length: 8 }, () => fail('overloaded')), say('Done.')], {
      limits: { maxRetries: 8, timeoutMs: Infinity },
    });
    const turn = f.session.send('Go');
    await f.clock.advance(600_000);
    await turn;
    expect(retrying(f).map((op) => op.delayMs)).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 16_000, 16_000, 16_000,
    ]);
  });

  it('audit-S7 `pendingRetry` has the next attempt and its time, until it starts', async () => {
    await using f = fixture([fail('overloaded'), fail('rate-limit'), say('Done.')]);
    const seen: unknown[] = [];
    const stopWatching = effect(() => void seen.push(f.session.pendingRetry.value));
    const start = f.clock.now();
    const turn = f.session.send('Go');
    await settle();
    const first = { attempt: 2, of: 4, at: start + 500, code: 'overloaded' };
    expect(f.session.state.pendingRetry).toEqual(first);
    await f.clock.advance(500);
    const second = { attempt: 3, of: 4, at: start + 1_500, code: 'rate-limit' };
    await f.clock.advance(1_000);
    await turn;
    expect(seen).toEqual([null, first, null, second, null]);
    expect(fold(initialState(), f.observed.operations)).toEqual(f.session.state);
    stopWatching();
  });

  it('audit-S7 shows no next attempt once the turn is cancelled', async () => {
    await using f = fixture([fail('overloaded')]);
    const turn = rejection(f.session.send('Go'));
    await settle();
    expect(f.session.pendingRetry.value).not.toBeNull();
    await f.session.cancel();
    await turn;
    expect(f.session.pendingRetry.value).toBeNull();
  });

  it('waits exactly for the stated time, in the phase `retrying`', async () => {
    await using f = fixture([fail('overloaded'), say('Done.')]);
    const turn = f.session.send('Go');
    await f.clock.advance(499);
    expect(f.session.phase.value).toBe('retrying');
    expect(f.provider.requests).toHaveLength(1);
    await f.clock.advance(1);
    expect(f.provider.requests).toHaveLength(2);
    await turn;
  });

  it('gives up after the last attempt, with its error', async () => {
    await using f = fixture(Array.from({ length: 4 }, () => fail('overloaded')));
    expect(await finished(f)).toBe('overloaded');
    expect(f.provider.requests).toHaveLength(4);
  });

  it('maxRetries 0 sends one request', async () => {
    await using f = fixture([fail('overloaded')], { limits: { maxRetries: 0 } });
    expect(await finished(f)).toBe('overloaded');
  });
});

describe('the wait that a server asks for', () => {
  it('takes precedence over the delay of the session', async () => {
    await using f = fixture([failWith('rate-limit', { afterMs: 7_000 }), say('Done.')]);
    expect(await finished(f)).toBe('completed');
    expect(retrying(f)).toMatchObject([{ delayMs: 7_000 }]);
  });

  it('S8 fails the turn at once if it is too long, with the hint', async () => {
    await using f = fixture([failWith('rate-limit', { afterMs: 3_600_000 })]);
    const error = await rejection(f.session.send('Go'));
    expect(error).toMatchObject({ code: 'rate-limit', retry: { afterMs: 3_600_000 } });
    expect(retrying(f)).toEqual([]);
  });

  it('of zero or less is ignored', async () => {
    await using f = fixture([
      failWith('rate-limit', { afterMs: 0 }),
      failWith('rate-limit', { afterMs: -5 }),
      say('Done.'),
    ]);
    expect(await finished(f)).toBe('completed');
    expect(retrying(f).map((op) => op.delayMs)).toEqual([0, 0]);
  });

  it.each([5_000, 1_000])('does not begin if the turn has no time for it: %i ms', async (afterMs) => {
    await using f = fixture([failWith('rate-limit', { afterMs })], { limits: { timeoutMs: 1_000 } });
    const error = await rejection(f.session.send('Go'));
    expect(error).toMatchObject({ code: 'rate-limit', retry: { afterMs } });
    expect(retrying(f)).toEqual([]);
  });

  it("is compared with the turn's remaining time", async () => {
    await using f = fixture(
      [failWith('rate-limit', { afterMs: 6_000 }), failWith('rate-limit', { afterMs: 6_000 })],
      { limits: { timeoutMs: 10_000 } },
    );
    expect(await finished(f)).toBe('rate-limit');
    expect(retrying(f)).toMatchObject([{ delayMs: 6_000 }]);
  });

  it("begins anyway with `onTrip: 'stop'`, because the limit keeps the effects", async () => {
    await using f = fixture([failWith('rate-limit', { afterMs: 50_000 })], {
      limits: { timeoutMs: 10_000, onTrip: 'stop' },
    });
    const turn = f.session.send('Go');
    await f.clock.advance(10_000);
    expect(await turn).toMatchObject({ status: 'stopped', stop: { kind: 'limit' } });
  });

  it("begins anyway with `onTrip: 'ask'`, because the user may extend the time", async () => {
    await using f = fixture([failWith('rate-limit', { afterMs: 50_000 }), say('Done.')], {
      limits: { timeoutMs: 10_000, onTrip: 'ask' },
    });
    const turn = f.session.send('Go');
    await f.clock.advance(10_000);
    await f.session.pendingExtension.value!.extend(50_000);
    await f.clock.advance(40_000);
    expect((await turn).status).toBe('completed');
  });
});

describe('a retry follows', () => {
  it.each(['overloaded', 'network', 'server', 'rate-limit', 'interrupted'] as const)('%s', async (code) => {
    await using f = fixture([fail(code), say('Done.')]);
    expect(await finished(f)).toBe('completed');
  });

  it('W8 a stream that ended before anything was visible', async () => {
    await using f = fixture([cut(), say('Done.')]);
    expect(await finished(f)).toBe('completed');
  });
});

describe('no retry follows', () => {
  it.each([
    'auth',
    'model',
    'quota',
    'context-length',
    'refused',
    'provider-contract',
    'unsupported',
  ] as const)('%s', async (code) => {
    await using f = fixture([fail(code)]);
    expect(await finished(f)).toBe(code);
    expect(f.provider.requests).toHaveLength(1);
  });

  it.each<[string, ScriptedAnswer]>([
    ['text', failAfter(['H'], 'overloaded')],
    ['thinking', failAfter([{ type: 'thinking', delta: 'H' }], 'overloaded')],
    [
      'a piece of a tool call',
      failAfter([{ type: 'tool-call', index: 0, tool: 'board.add', delta: '' }], 'overloaded'),
    ],
    ['an opaque part', failAfter([{ type: 'opaque', data: 1 }], 'overloaded')],
  ])('S-29 H6 anything after visible output: %s', async (_name, answer) => {
    await using f = fixture([answer], { domains: [createBoard().domain()] });
    expect(await finished(f)).toBe('overloaded');
    expect(f.provider.requests).toHaveLength(1);
  });

  it('S-29 but usage and an empty delta are not visible output', async () => {
    await using f = fixture([
      failAfter(
        [
          { type: 'usage', usage: { inputTokens: 1 } },
          { type: 'text', delta: '' },
        ],
        'overloaded',
      ),
      say('Done.'),
    ]);
    expect(await finished(f)).toBe('completed');
  });

  it('SA-23 a cancel', async () => {
    await using f = fixture([say('x')], { looseScript: true });
    const turn = f.session.send('Go');
    void f.session.cancel();
    expect((await rejection(turn)).code).toBe('cancelled');
    await f.clock.advance(60_000);
    expect(f.provider.requests.length).toBeLessThanOrEqual(1);
    expect(retrying(f)).toEqual([]);
  });

  it('X1 after a cancel during the wait: it ends at once, nothing is sent later', async () => {
    await using f = fixture([failWith('rate-limit', { afterMs: 30_000 })]);
    const turn = f.session.send('Go');
    await settle();
    const report = await f.session.cancel();
    expect(report.landed).toBe('retrying');
    expect((await rejection(turn)).code).toBe('cancelled');
    expect(f.clock.pending).toBe(0);
    await f.clock.advance(60_000);
    expect(f.provider.requests).toHaveLength(1);
  });
});

describe('across attempts', () => {
  it('the request is the same, idempotency key included', async () => {
    await using f = fixture([fail('overloaded'), callTools(addCard('A')), say('Done.')], {
      domains: [createBoard().domain()],
    });
    await finished(f);
    const [first, second, third] = f.provider.requests;
    expect(second).toBe(first);
    expect(third?.idempotencyKey).not.toBe(first?.idempotencyKey);
  });

  it('usage is summed over attempts and rounds', async () => {
    const usage = (inputTokens: number) => ({ type: 'usage', usage: { inputTokens } }) as const;
    await using f = fixture(
      [
        failAfter([usage(5)], 'overloaded'),
        callTools(addCard('A'), usage(10)),
        say('Done.', { usage: { inputTokens: 100 } }),
      ],
      { domains: [createBoard().domain()] },
    );
    await finished(f);
    expect(f.session.lastUsageReport.value).toEqual({ inputTokens: 115 });
    const finishedCalls = f.observed.operations.filter((op) => op.type === 'modelCallFinished');
    expect(finishedCalls.map((op) => op.usage?.inputTokens)).toEqual([5, 10, 100]);
    const rounds = f.observed.operations.filter((op) => op.type === 'roundCompleted');
    expect(rounds.map((op) => [op.usage?.inputTokens, op.totalUsage?.inputTokens])).toEqual([
      [15, 15],
      [100, 115],
    ]);
    expect(f.session.lastOutcome.value?.usage).toEqual({ inputTokens: 115 });
  });

  it('tools run once', async () => {
    const board = createBoard();
    await using f = fixture([callTools(addCard('A')), fail('overloaded'), fail('network'), say('Done.')], {
      domains: [board.domain()],
    });
    expect(await finished(f)).toBe('completed');
    expect(board.titles).toEqual(['A']);
  });
});
