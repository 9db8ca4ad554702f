import { compactionOf } from '../compaction/compaction-code.js';
import type { Agent } from '../agents/agent.js';
import type { Limits } from '../limits/limits.js';
import { loadedHooks } from '../middleware/middleware-code.js';
import type { AgentLimits } from '../tools/run.js';
import type { Turn } from '../turn/turn-context.js';
import type { NextSettings, PartSettings } from '../turn/turn-parts.js';

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
    hooks: hooksBelow(hooks, agent),
    compaction: agent.compaction === undefined ? compaction : compactionOf(agent.compaction),
    discovery: null,
    agents,
  };
}

/** Returns the loader of the middleware of a child turn: the middleware of the session, then the middleware of its agent. */
function hooksBelow(above: PartSettings['hooks'], agent: Agent): PartSettings['hooks'] {
  if (above === null && !agent.middleware?.length) return null;
  const load = above ?? loadedHooks([]);
  return (clock, inner = agent) => load(clock, inner);
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
