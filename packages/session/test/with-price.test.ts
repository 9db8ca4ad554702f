// Cost is a limit, and withPrice computes it where the server reports none.
import { costOf, withPrice, type ModelPrice } from '@banister/provider';
import { describe, expect, it } from 'vitest';
import { scriptedProvider, say, callTools, spyTool } from '@banister/testing';
import { createAgentSession } from '@banister/session';
import { rejection } from './fixture.js';

const price: ModelPrice = { input: 2, cachedInput: 0.5, cacheWrite: 2.5, output: 10 };
const million = 1_000_000;

describe('the cost of a report', () => {
  it.each([
    ['what was read and what was written', { inputTokens: million, outputTokens: million }, 12],
    ['nothing', { inputTokens: 0, outputTokens: 0 }, 0],
    [
      'a part from a cache, and a part into one, which the whole includes',
      {
        inputTokens: million,
        cachedInputTokens: million / 2,
        cacheWriteTokens: million / 4,
        outputTokens: 0,
      },
      0.5 + 0.25 + 0.625,
    ],
    [
      'thinking, which is written too',
      { inputTokens: 0, outputTokens: million, reasoningTokens: million },
      10,
    ],
  ])('counts %s', (_name, usage, amount) => {
    expect(costOf(usage, price)).toEqual({ amount, currency: 'USD' });
  });

  it('counts cached tokens as plain tokens if they have no separate price', () => {
    const usage = { inputTokens: million, cachedInputTokens: million, outputTokens: 0 };
    expect(costOf(usage, { input: 2, output: 1, currency: 'EUR' })).toEqual({ amount: 2, currency: 'EUR' });
  });

  it('T3: treats an undefined price as absent', () => {
    const given = { input: 2, cachedInput: undefined, cacheWrite: undefined, output: 1, currency: undefined };
    expect(() => withPrice(scriptedProvider([say('Hi')]), given)).not.toThrow();
    const usage = { inputTokens: million, cachedInputTokens: million, outputTokens: 0 };
    expect(costOf(usage, given)).toEqual({ amount: 2, currency: 'USD' });
  });

  it.each([{ inputTokens: 5 }, { outputTokens: 5 }, { totalTokens: 5 }, {}])('is unknown for %o', (usage) => {
    expect(costOf(usage, price)).toBeUndefined();
  });
});

describe('a provider with a price', () => {
  const usage = { inputTokens: 1_000, outputTokens: 100 };
  const start = (limits = {}, ...answers: Parameters<typeof scriptedProvider>[0]) =>
    createAgentSession({
      provider: withPrice(scriptedProvider(answers), price),
      domains: [{ id: 'board', tools: [spyTool('read')] }],
      limits,
    });

  it('reports the cost of the turn, over all its rounds', async () => {
    const first = callTools({ tool: 'board.read' }, { type: 'usage', usage });
    const session = start({}, first, say('Done.', { usage }));
    const result = await session.send('Go');
    expect(result.usage?.cost?.amount).toBeCloseTo(0.006, 10);
    expect(session.budget.value.cost.spent).toBeCloseTo(0.006, 10);
    await session.dispose();
  });

  it('makes the cost limit work', async () => {
    const session = start({ maxCost: 0.002 }, say('Done.', { usage }));
    expect((await rejection(session.send('Go'))).code).toBe('cost-budget');
    await session.dispose();
  });

  it('keeps a cost that the server stated, and adds no cost to a report without the needed counts', async () => {
    const cost = { amount: 7, currency: 'USD' };
    const session = start(
      { maxCost: 8 },
      say('One.', { usage: { ...usage, cost } }),
      say('Two.', { usage: { inputTokens: 5 } }),
    );
    expect((await session.send('Go')).usage?.cost).toEqual(cost);
    expect((await session.send('Go')).usage).toEqual({ inputTokens: 5 });
    await session.dispose();
  });

  it('is otherwise the same provider', async () => {
    const inner = scriptedProvider([], { id: 'a', model: 'b', contextWindow: 9, schemaWarnings: [] });
    const priced = withPrice(inner, price);
    expect(priced).toMatchObject({ id: 'a', model: 'b', capabilities: { images: true, contextWindow: 9 } });
    expect(await priced.validateTools?.([])).toEqual([]);
    expect(withPrice(scriptedProvider([]), price).validateTools).toBeUndefined();
  });

  it.each([
    { input: -1, output: 1 },
    { input: Number.NaN, output: 1 },
    { input: 1 } as ModelPrice,
    { input: 1, output: 1, currency: 'dollars' },
  ])('refuses the price %o', (wrong) => {
    expect(() => withPrice(scriptedProvider([]), wrong)).toThrow(
      expect.objectContaining({ code: 'invalid-configuration' }),
    );
  });
});
