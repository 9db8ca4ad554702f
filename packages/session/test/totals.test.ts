// Usage and money of a whole session, and their limits.
import { describe, expect, it } from 'vitest';
import { callTools, say, type AnswerSource } from '@banister/testing';
import { createAgentSession } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import type { UsageReport } from '@banister/provider';
import { addCard, createBoard } from './board.js';
import { fixture, rejection, terminals, type FixtureOptions } from './fixture.js';
import { createSession, linked } from './opened.js';

const priced = (tokens: number, amount: number): UsageReport => ({
  inputTokens: tokens,
  outputTokens: 1,
  cost: { amount, currency: 'USD' },
});
const answer = (tokens: number, amount: number): AnswerSource => say('x', { usage: priced(tokens, amount) });
const round = (title: string, tokens: number, amount: number): AnswerSource =>
  callTools(addCard(title), { type: 'usage', usage: priced(tokens, amount) });

const board = (options: FixtureOptions = {}) => ({ domains: [createBoard().domain()], ...options });

describe('totals', () => {
  it('`totals` are the usage and cost of all turns', async () => {
    await using f = fixture([round('A', 10, 1), answer(20, 2), answer(30, 4)], board());
    expect(f.session.totals.value).toEqual({ usage: null, cost: null });
    const costs: unknown[] = [];
    f.session.operations$.subscribe(({ type }) => {
      if (type === 'usage') costs.push(f.session.state.totals.cost?.amount);
    });
    await f.session.send('Go');
    await f.session.send('On');
    expect(costs).toEqual([1, 3, 7]);
    expect(f.session.totals.value).toEqual({
      usage: { inputTokens: 60, outputTokens: 3, cost: { amount: 7, currency: 'USD' } },
      cost: { amount: 7, currency: 'USD' },
    });
  });

  it('include failed turns, and turns off the path', async () => {
    await using f = fixture([round('A', 10, 1), answer(20, 2), answer(30, 4)], {
      ...board({ limits: { maxRounds: 1 } }),
    });
    await rejection(f.session.send('Go'));
    await f.session.retry();
    await f.session.regenerate();
    expect(f.session.turns.value).toHaveLength(1);
    expect(f.session.totals.value.cost?.amount).toBe(7);
  });

  it('are the same after a reload from a log, and from a saved conversation', async () => {
    await using f = fixture([answer(10, 1), answer(20, 2)]);
    await f.session.send('Go');
    await f.session.regenerate();
    const totals = f.session.totals.value;
    expect(fold(initialState(), f.observed.operations).totals).toEqual(totals);
    await using again = fixture([answer(30, 4)], { conversation: f.session.save() });
    expect(again.session.totals.value).toEqual(totals);
    await again.session.send('On');
    expect(again.session.totals.value.cost?.amount).toBe(7);
  });

  it('include the running turn, even in a saved conversation', async () => {
    await using f = fixture([round('A', 10, 1), answer(20, 2)], board());
    let saved = f.session.save();
    f.session.operations$.subscribe(({ type }) => {
      if (type === 'roundCompleted') saved = f.session.save();
    });
    const turn = f.session.send('Go');
    await turn;
    const first = f.observed.operations.findIndex(({ type }) => type === 'roundCompleted');
    expect(first).toBeGreaterThan(0);
    await using again = fixture([], { conversation: saved });
    expect(again.session.totals.value.usage?.inputTokens).toBe(30);
  });

  it('have no cost if turns were paid in different currencies', async () => {
    const euros = say('x', { usage: { inputTokens: 1, cost: { amount: 1, currency: 'EUR' } } });
    await using f = fixture([answer(10, 1), euros]);
    await f.session.send('Go');
    await f.session.send('On');
    expect(f.session.totals.value).toMatchObject({ usage: { inputTokens: 11 }, cost: null });
  });
});

describe('limits of the session', () => {
  it.each([
    ['token-budget', { maxTokens: 40 }, { limit: 40 }],
    ['cost-budget', { maxCost: 3 }, { limit: 3, currency: 'USD' }],
  ])(
    'trip with %s in the turn that exceeds a limit, and the turn is rolled back',
    async (code, session, details) => {
      const app = createBoard();
      await using f = fixture([answer(20, 2), round('A', 30, 3)], {
        domains: [app.domain()],
        limits: { session },
      });
      await f.session.send('Go');
      const error = await rejection(f.session.send('On'));
      expect(error.code).toBe(code);
      expect(error.details).toEqual({ ...details, of: 'session' });
      expect(app.titles).toEqual([]);
    },
  );

  it('a session that has used up a limit sends nothing until the limit is raised', async () => {
    await using f = fixture([answer(39, 2), answer(1, 1)], { limits: { session: { maxTokens: 40 } } });
    await f.session.send('Go');
    expect((await rejection(f.session.send('On'))).code).toBe('token-budget');
    expect(f.provider.requests).toHaveLength(1);
    f.session.configure({ limits: { session: { maxTokens: 100 } } });
    await f.session.retry();
    expect(terminals(f)).toEqual(['completed', 'failed', 'completed']);
  });

  it("with `onTrip: 'stop'` stop the turn", async () => {
    await using f = fixture(
      [round('A', 50, 1)],
      board({ limits: { session: { maxTokens: 40 }, onTrip: 'stop' } }),
    );
    const { status, stop } = await f.session.send('Go');
    expect([status, stop?.kind]).toEqual(['stopped', 'limit']);
  });

  it('make a steering message wait if they permit no further round', async () => {
    await using f = fixture([answer(40, 1)], { limits: { session: { maxTokens: 41 } }, looseScript: true });
    const turn = f.session.send('Go');
    const steered = f.session.steer('And this');
    expect([(await turn).status, await steered]).toEqual(['completed', 'queued']);
  });

  it('still hold in a reopened session', async () => {
    await using f = fixture([answer(40, 1)]);
    await f.session.send('Go');
    const records = [{ version: 1, revision: 1, epoch: 1, operations: f.observed.operations }];
    const again = createSession([], {
      restored: { snapshot: null, records },
      limits: { session: { maxTokens: 40 } },
    });
    await linked(again.session, { open: true });
    expect((await rejection(again.session.send('On'))).code).toBe('token-budget');
    await again.session.dispose();
  });

  it('cannot be set for a single turn: `send` refuses them', async () => {
    await using f = fixture([]);
    const limits = { session: { maxTokens: 1 } };
    const error = await rejection(f.session.send('Go', { limits } as never));
    expect(error.code).toBe('invalid-configuration');
    expect(f.session.turns.value).toEqual([]);
  });

  it('are refused if their name is unknown', () => {
    const provider = { id: 'x', model: 'y', capabilities: { images: false }, async *stream() {} };
    expect(() => createAgentSession({ provider, limits: { session: { maxToken: 1 } as never } })).toThrow(
      /session.*maxToken/,
    );
  });
});
