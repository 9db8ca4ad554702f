import { totalTokensOf, useSignalValue, type AgentSession, type BudgetLine } from '@handrail/react';

/** What the turn used, and what it may use. */
export function UsageLine({ session }: { readonly session: AgentSession }) {
  const budget = useSignalValue(session.budget);
  const tokens = totalTokensOf(useSignalValue(session.lastUsageReport));
  const parts = [
    ...(tokens === undefined ? [] : [`${tokens.toLocaleString('en')} tokens`]),
    ...share(budget.rounds, 'rounds'),
    ...share(budget.toolCalls, 'calls'),
  ];
  return <p className="usage">{parts.join(' · ')}</p>;
}

function share({ spent, left }: BudgetLine, what: string): readonly string[] {
  if (spent === 0) return [];
  return [left === null ? `${spent} ${what}` : `${spent}/${spent + left} ${what}`];
}
