import type { Cost, UsageReport } from '@banister/provider';
import { addUsage, copyOfCost, tokenFields } from '@banister/provider/internal/messages/usage-report';
import { ownChildrenOf } from './child-turns.js';
import type { ChildTurn, TurnRecord } from './turn-record.js';

/** The part of an agent in the usage of a turn. */
export interface AgentUsage {
  /** The id of the agent; null for the session's own model. */
  readonly agent: string | null;
  /** The usage of all child turns of the agent, without their own child turns; null if the provider reported none. */
  readonly usage: UsageReport | null;
}

type Report = { -readonly [Field in keyof UsageReport]: UsageReport[Field] };

/**
 * Splits the usage of an ended turn, per agent: first the turn itself, then the agents in the order of their first child turns. The parts
 * sum to the usage of the turn. An agent whose cost is in another currency than the cost of the turn has no cost.
 *
 * @example
 * for (const { agent, usage } of usageByAgent(turn)) console.log(agent ?? 'chat', usage?.totalTokens);
 */
export function usageByAgent(turn: TurnRecord | ChildTurn): readonly AgentUsage[] {
  const parts = new Map<string | null, UsageReport | null>();
  const total = 'agent' in turn ? turn.usage : (turn.outcome?.usage ?? null);
  const currency = total?.cost?.currency;
  const walk = (agent: string | null, record: TurnRecord, whole: UsageReport | null) => {
    const children = ownChildrenOf(record);
    const own = difference(
      inCurrency(whole, currency),
      children.map(({ usage }) => inCurrency(usage, currency)),
    );
    parts.set(agent, addUsage(parts.get(agent) ?? null, own));
    for (const child of children) walk(child.agent, child, child.usage);
  };
  walk('agent' in turn ? turn.agent : null, turn, total);
  return Array.from(parts, ([agent, usage]) => ({ agent, usage }));
}

/** Returns a report without a cost in another currency. */
function inCurrency(usage: UsageReport | null, currency: string | undefined): UsageReport | null {
  if (usage?.cost === undefined || usage.cost.currency === currency) return usage;
  const { cost: _, ...tokens } = usage;
  return tokens;
}

/** Returns the part of a report that is in none of the others. A field that the others account for wholly is not in it. */
function difference(whole: UsageReport | null, others: readonly (UsageReport | null)[]): UsageReport | null {
  const known = others.reduce(addUsage, null);
  if (known === null || whole === null) return whole;
  const rest: Report = {};
  for (const field of tokenFields) {
    const left = (whole[field] ?? 0) - (known[field] ?? 0);
    if (left !== 0 || (whole[field] !== undefined && known[field] === undefined)) rest[field] = left;
  }
  const cost = costLeft(whole.cost, known.cost);
  if (cost !== undefined) rest.cost = cost;
  return Object.keys(rest).length === 0 ? null : rest;
}

/** Amounts are sums of fractions, so a difference far below a millionth of the amount is an error of rounding. */
const ROUNDING = 1e-9;

function costLeft(whole: Cost | undefined, known: Cost | undefined): Cost | undefined {
  if (whole === undefined || known === undefined) return whole && copyOfCost(whole);
  const amount = whole.amount - known.amount;
  return Math.abs(amount) <= ROUNDING * Math.abs(whole.amount)
    ? undefined
    : { amount, currency: whole.currency };
}
