import type { AgentSession } from '@banister/session';
import type { Cost, UsageReport } from '@banister/provider';

export type UsageRow = readonly [name: string, value: string];

const counters: readonly (readonly [Exclude<keyof UsageReport, 'cost'>, string])[] = [
  ['inputTokens', 'input tokens'],
  ['cachedInputTokens', 'of them read from a cache'],
  ['cacheWriteTokens', 'of them written to a cache'],
  ['outputTokens', 'output tokens'],
  ['reasoningTokens', 'of them for reasoning'],
  ['totalTokens', 'tokens in all'],
];

/**
 * Returns the usage counters that the session has. They include all turns and other versions, but the rounds
 * are only of the shown version. A counter that no model reported is left out. Reads signals.
 */
export function usageRows({ totals, turns }: Pick<AgentSession, 'totals' | 'turns'>): readonly UsageRow[] {
  const { usage, cost } = totals.value;
  const rounds = turns.value.reduce((sum, turn) => sum + turn.rounds.length, 0);
  const reported = counters.flatMap(([field, name]): readonly UsageRow[] => {
    const count = usage?.[field];
    return count === undefined ? [] : [[name, count.toLocaleString('en')]];
  });
  return [
    ...reported,
    ...(rounds === 0 ? [] : [['rounds, this version', String(rounds)] as const]),
    ...(cost === null ? [] : [['cost', costWords(cost)] as const]),
  ];
}

function costWords({ amount, currency }: Cost): string {
  return `${amount.toLocaleString('en', { maximumFractionDigits: 6 })} ${currency}`;
}
