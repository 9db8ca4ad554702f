import { totalTokensOf, type AgentSession, type BudgetLine } from '@handrail/session';

/** The usage of the turn and its limits, in words. Reads signals. */
export function usageWords(session: AgentSession): string {
  const { rounds, toolCalls } = session.budget.value;
  const tokens = totalTokensOf(session.lastUsageReport.value);
  return [
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString('en')} tokens`]),
    ...share(rounds, 'rounds'),
    ...share(toolCalls, 'calls'),
  ].join(' · ');
}

function share({ spent, left }: BudgetLine, what: string): readonly string[] {
  if (spent === 0) return [];
  return [left === null ? `${spent} ${what}` : `${spent}/${spent + left} ${what}`];
}
