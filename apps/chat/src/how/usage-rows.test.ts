import type { TurnRecord } from '@banister/session';
import { signal } from '@banister/session/signals';
import type { Totals } from '@banister/provider';
import { expect, test } from 'vitest';
import { usageRows } from './usage-rows.js';

const none: readonly TurnRecord[] = [];
const rowsOf = (totals: Totals, turns = none) => usageRows({ totals: signal(totals), turns: signal(turns) });

test('each reported counter has a row, and other counters have none', () => {
  expect(rowsOf({ usage: null, cost: null })).toEqual([]);
  expect(rowsOf({ usage: { inputTokens: 12, outputTokens: 0 }, cost: null })).toEqual([
    ['input tokens', '12'],
    ['output tokens', '0'],
  ]);
  const usage = {
    inputTokens: 12_345,
    cachedInputTokens: 9000,
    cacheWriteTokens: 100,
    outputTokens: 200,
    reasoningTokens: 150,
    totalTokens: 12_545,
  };
  const rounds = [{}, {}] as unknown as TurnRecord['rounds'];
  const cost = { amount: 0.0123, currency: 'USD' };
  expect(rowsOf({ usage, cost }, [{ rounds } as TurnRecord, { rounds } as TurnRecord])).toEqual([
    ['input tokens', '12,345'],
    ['of them read from a cache', '9,000'],
    ['of them written to a cache', '100'],
    ['output tokens', '200'],
    ['of them for reasoning', '150'],
    ['tokens in all', '12,545'],
    ['rounds, this version', '4'],
    ['cost', '0.0123 USD'],
  ]);
});
