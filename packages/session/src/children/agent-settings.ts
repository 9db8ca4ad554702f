import { compactionOf } from '../compaction/compaction-code.js';
import type { Agent } from '../agents/agent.js';
import type { Limits } from '../limits/limits.js';
import type { AgentLimits } from '../tools/run.js';
import type { Turn } from '../turn/turn-context.js';
import type { NextSettings } from '../turn/turn-parts.js';

/** Returns the settings of a child turn: the settings of the turn above it, with the settings of its agent. */
export function agentSettings(above: Turn, agent: Agent, limits: AgentLimits = {}): NextSettings {
  const { settings, parts } = above;
  const { hooks, compaction, agents } = parts;
  return {
    ...settings,
    provider: agent.provider ?? settings.provider,
    role: [
      agent.role,
      'You work for another agent. It reads your last message only: put the whole result there. Nobody answers questions.',
    ].join('\n\n'),
    agentGuards: agent.guards ?? [],
    context: agent.context ?? settings.context,
    limits: limitsBelow(settings.limits, agent.limits, limits),
    waitsForModel: false,
    hooks,
    compaction: agent.compaction === undefined ? compaction : compactionOf(agent.compaction),
    discovery: null,
    agents,
  };
}

/** Returns the limits of a child turn. A limit of an agent counts up to the limit of the turn above. */
function limitsBelow(above: Limits, ...given: readonly (AgentLimits | undefined)[]): Limits {
  // The turn above counts the time of all its agents.
  const limits: Record<string, unknown> = {
    ...above,
    timeoutMs: Infinity,
    maxThinkingMs: Infinity,
    onTrip: 'stop',
  };
  for (const [name, value] of given.flatMap((own = {}) => Object.entries(own)))
    if (value !== undefined) limits[name] = Math.min(limits[name] as number, value as number);
  return limits as unknown as Limits;
}
