// The lines of the budget to the last unit, and the estimated cost in a guard's verdict.
import { describe, expect, it } from 'vitest';
import { callTools, forcedGuard, say, spyTool } from '@banister/testing';
import type { Operation, Verdict } from '@banister/session';
import { initialState } from '@banister/session/operations';
import { fixture, rejection } from './fixture.js';

const started = (operations: readonly Operation[]) =>
  operations.find((operation) => operation.type === 'turnStarted');

describe('the budget', () => {
  const untouched = { spent: 0, left: null };

  it('is without limits before the first turn', async () => {
    await using f = fixture([]);
    expect(f.session.budget.value).toEqual({
      rounds: untouched,
      toolCalls: untouched,
      timeMs: untouched,
      tokens: untouched,
      cost: untouched,
    });
  });

  it('of a new session cannot be changed through the state of another session', () => {
    const { budget } = initialState();
    expect(() => Object.assign(budget, { rounds: null })).toThrow(TypeError);
    expect(() => Object.assign(budget.rounds, { spent: 1 })).toThrow(TypeError);
    expect(initialState().budget.rounds).toEqual(untouched);
  });

  it('is whole when a turn starts', async () => {
    const limits = { maxRounds: 3, maxToolCalls: 4, timeoutMs: 5_000, maxTokens: 600, maxCost: 7 };
    await using f = fixture([say('Hi')], { limits });
    await f.session.send('Go');
    expect(started(f.observed.operations)?.budget).toEqual({
      rounds: { spent: 0, left: 3 },
      toolCalls: { spent: 0, left: 4 },
      timeMs: { spent: 0, left: 5_000 },
      tokens: { spent: 0, left: 600 },
      cost: { spent: 0, left: 7 },
    });
  });

  it('states all spent amounts when the turn ends', async () => {
    const spy = spyTool('spy');
    const cost = (amount: number) => ({ amount, currency: 'EUR' });
    await using f = fixture(
      [
        callTools({ tool: 'board.spy' }),
        say('Done.', { usage: { inputTokens: 5, outputTokens: 2, cost: cost(0.25) } }),
      ],
      { domains: [{ id: 'board', tools: [spy] }], limits: { maxTokens: 100, maxCost: 1 } },
    );
    await f.session.send('Go');
    expect(f.session.budget.value).toEqual({
      rounds: { spent: 2, left: 6 },
      toolCalls: { spent: 1, left: 11 },
      timeMs: { spent: 0, left: 60_000 },
      tokens: { spent: 7, left: 93 },
      cost: { spent: 0.25, left: 0.75 },
    });
  });

  it('of money is not spent by usage without a cost', async () => {
    await using f = fixture([say('Hi', { usage: { inputTokens: 5 } })], { limits: { maxCost: 0.1 } });
    expect((await f.session.send('Go')).status).toBe('completed');
    expect(f.session.budget.value.cost).toEqual({ spent: 0, left: 0.1 });
  });

  it.each([
    ['tokens', { maxTokens: 7 }, 'token-budget'],
    ['money', { maxCost: 0.25 }, 'cost-budget'],
  ] as const)('of %s may be spent completely; one more trips the limit', async (_name, limits, code) => {
    const answer = (more: number) =>
      say('Hi', {
        usage: { inputTokens: 5, outputTokens: 2 + more, cost: { amount: 0.25 + more, currency: 'EUR' } },
      });
    await using f = fixture([answer(0), answer(1)], { limits });
    expect((await f.session.send('Go')).status).toBe('completed');
    const error = await rejection(f.session.send('Go'));
    expect(error).toMatchObject({ code, details: { limit: Object.values(limits)[0] } });
  });
});

describe('the estimated cost of a call', () => {
  it.each([
    ['without a currency', { amount: 1 }],
    ['without an amount', { currency: 'EUR' }],
    ['of no finite amount', { amount: Infinity, currency: 'EUR' }],
    ['that is a text', '1 EUR'],
    ['that is null', null],
  ])('%s is not shown', async (_name, cost) => {
    const verdict = { confirm: 'Really?', cost } as unknown as Verdict;
    await using f = fixture([callTools({ tool: 'board.spy' }), say('Done.')], {
      domains: [{ id: 'board', tools: [spyTool('spy')] }],
      guards: [forcedGuard('ask', verdict)],
    });
    const turn = f.session.send('Go');
    await f.observed.until('confirmationRequested');
    const request = f.session.pendingConfirmation.value!;
    expect(request).not.toHaveProperty('cost');
    await request.approve();
    await turn;
  });
});
