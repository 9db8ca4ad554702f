import type { AgentPolicy, WholePolicy } from './policy.js';
import { Refusal } from './refusal.js';

/** What permits a request: the policy of its user, or of its agent. */
export interface Permit extends AgentPolicy {
  readonly concurrent?: number;
  /** The end of the names of its claims. The quotas of the user and of the agent both count the spending of an agent. */
  readonly suffix: string;
}

/**
 * Returns the permits of a request: the permit of its user, then the permit of its agent. The request needs both. Throws a refusal with the
 * status 403 for an agent that the policy does not list.
 */
export function permitsOf(policy: WholePolicy, agent: string | undefined): readonly Permit[] {
  const permits: Permit[] = [{ ...policy, suffix: '' }];
  const { agents } = policy;
  if (agent === undefined || agents === undefined) return permits;
  if (!Object.hasOwn(agents, agent))
    throw new Refusal(403, 'unsupported', 'The policy permits no such agent.', { details: { agent } });
  return [...permits, { ...agents[agent], suffix: `@${agent}` }];
}
