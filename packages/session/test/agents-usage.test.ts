// Child turns in the record of a turn, and how the usage of a turn is split among its agents.
import { describe, expect, it } from 'vitest';
import type { UsageReport } from '@banister/provider';
import { addUsage } from '@banister/provider';
import type { ChildTurn, TurnRecord } from '@banister/session';
import { childrenOf, findChild, usageByAgent } from '@banister/session/operations';

/** A record with one call for each list of child turns. */
function turn(
  id: string,
  usage: UsageReport | null,
  ...calls: readonly (readonly ChildTurn[])[]
): TurnRecord {
  const parts = calls.map((children, index) => ({ type: 'tool-call', id: `${id}-${index}`, children }));
  const outcome = { status: 'completed', usage, rounds: 1 };
  return { id, rounds: [{ parts }], outcome } as unknown as TurnRecord;
}

const child = (id: string, agent: string, usage: UsageReport | null, ...inner: readonly ChildTurn[]) =>
  ({ ...turn(id, usage, inner), agent, usage }) as ChildTurn;

const usd = (amount: number) => ({ amount, currency: 'USD' });

describe('agents C4: child turns of a record', () => {
  const deep = child('deep', 'scout', null);
  const notes = child('notes-1', 'notes', null, deep);
  const second = child('notes-2', 'notes', null);
  const root = turn('t1', null, [notes, second], []);

  it('agents C4: childrenOf lists the child turns of all depths, each before its own child turns', () => {
    expect(childrenOf(root)).toEqual([notes, deep, second]);
    expect(childrenOf(turn('t2', null))).toEqual([]);
  });

  it('agents C4: findChild finds a child turn of the running turn and of an ended turn, at any depth', () => {
    const find = (turns: readonly TurnRecord[], liveTurn: TurnRecord | null, id: string) =>
      findChild({ turns, liveTurn } as Parameters<typeof findChild>[0], id);
    expect(find([], root, 'deep')).toBe(deep);
    expect(find([root, turn('t2', null)], null, 'notes-2')).toBe(second);
    expect(find([root], null, 't1')).toBeUndefined();
  });
});

describe('agents C46: usageByAgent', () => {
  const sum = (record: TurnRecord) =>
    usageByAgent(record).reduce<UsageReport | null>((total, { usage }) => addUsage(total, usage), null);

  it('agents C46: a turn without child turns has one part, its own', () => {
    const usage = { inputTokens: 3, outputTokens: 0, cost: usd(1) };
    expect(usageByAgent(turn('t', usage))).toEqual([{ agent: null, usage }]);
    expect(usageByAgent(turn('t', null))).toEqual([{ agent: null, usage: null }]);
  });

  it('agents C46: the parts of agents are without their own child turns, and sum to the usage of the turn', () => {
    const scout = child('s', 'scout', { inputTokens: 5, outputTokens: 1 });
    const notes = child('n', 'notes', { inputTokens: 25, outputTokens: 11, reasoningTokens: 4 }, scout);
    const again = child('n2', 'notes', { inputTokens: 10, outputTokens: 2 });
    const whole = { inputTokens: 135, outputTokens: 33, reasoningTokens: 4, cachedInputTokens: 0 };
    const root = turn('t', whole, [notes], [again]);
    expect(usageByAgent(root)).toEqual([
      { agent: null, usage: { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 } },
      { agent: 'notes', usage: { inputTokens: 30, outputTokens: 12, reasoningTokens: 4 } },
      { agent: 'scout', usage: { inputTokens: 5, outputTokens: 1 } },
    ]);
    expect(sum(root)).toEqual(whole);
  });

  it('agents C46: the part of a model that reported nothing is null, and not zero', () => {
    const usage = { inputTokens: 5, cost: usd(0.3) };
    const root = turn('t', usage, [child('a', 'a', usage), child('b', 'b', null)]);
    expect(usageByAgent(root)).toEqual([
      { agent: null, usage: null },
      { agent: 'a', usage },
      { agent: 'b', usage: null },
    ]);
  });

  it('agents C46: costs are split, and an error of rounding is no part', () => {
    const a = child('a', 'a', { cost: usd(0.1) });
    const b = child('b', 'b', { cost: usd(0.2) });
    expect(usageByAgent(turn('t', { cost: usd(0.3) }, [a, b]))[0]).toEqual({ agent: null, usage: null });
    expect(usageByAgent(turn('t', { cost: usd(0.8) }, [a, b]))[0]!.usage!.cost!.amount).toBeCloseTo(0.5);
  });

  it('agents C46: without a cost of the turn, because of two currencies, no part has a cost', () => {
    const root = turn('t', { inputTokens: 9 }, [child('a', 'a', { inputTokens: 4, cost: usd(1) })]);
    expect(usageByAgent(root)).toEqual([
      { agent: null, usage: { inputTokens: 5 } },
      { agent: 'a', usage: { inputTokens: 4 } },
    ]);
  });

  it('agents C46: the usage of a child turn is split in the same way', () => {
    const scout = child('s', 'scout', { inputTokens: 5 });
    expect(usageByAgent(child('n', 'notes', { inputTokens: 7 }, scout))).toEqual([
      { agent: 'notes', usage: { inputTokens: 2 } },
      { agent: 'scout', usage: { inputTokens: 5 } },
    ]);
  });
});
