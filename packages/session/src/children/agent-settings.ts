import { checked } from '@banister/provider/internal/errors/checked';
import { defined } from '@banister/provider/internal/json/defined';
import type { Agent } from '../agents/agent.js';
import { agentLimitsShape } from '../agents/agent-limits.js';
import { compactionOf } from '../compaction/compaction-code.js';
import * as told from '../conversation/agent-words.js';
import type { Limits } from '../limits/limits.js';
import { loadedHooks } from '../middleware/middleware-code.js';
import type { AgentLimits, AnyRunOptions } from '../tools/run.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import type { NextSettings, PartSettings } from '../turn/turn-parts.js';

/**
 * Returns the settings of a child turn. Throws `invalid-configuration` for a wrong limit of the run.
 *
 * @param above the settings of the turn that the user sent, with the parts of that turn
 */
export function childSettings(
  above: NextSettings,
  agent: Agent,
  { limits }: Pick<AnyRunOptions, 'limits'> = {},
): NextSettings {
  return {
    provider: agent.provider ?? above.provider,
    guards: above.guards,
    agentGuards: agent.guards ?? [],
    modes: above.modes,
    grants: above.grants,
    confirm: above.confirm,
    role: agent.role,
    lastLine: told.childLastLine,
    context: agent.context ?? above.context,
    limits: childLimits(above.limits, agent.limits, limits),
    waitsForModel: false,
    hooks: hooksBelow(above.hooks, agent),
    compaction: agent.compaction === undefined ? above.compaction : compactionOf(agent.compaction),
    discovery: above.discovery,
    agents: above.agents,
  };
}

/** The limits that count all agents of a turn together. The turn that the user sent counts them, and a child turn only if its agent has them. */
const together = {
  maxToolCalls: Infinity,
  timeoutMs: Infinity,
  maxThinkingMs: Infinity,
  maxTokens: Infinity,
  maxCost: Infinity,
};

/** Returns the limits of a child turn: each is the lowest of the given limits, and a limit that trips stops the child turn. */
function childLimits(above: Limits, ...all: readonly (AgentLimits | undefined)[]): Limits {
  const limits = { ...above, ...together };
  for (const given of all) {
    if (given === undefined) continue;
    checked(agentLimitsShape, given, 'The limits of an agent');
    for (const [name, value] of Object.entries(defined(given)) as [keyof AgentLimits, number][])
      limits[name] = Math.min(limits[name], above[name], value);
  }
  return { ...limits, onTrip: 'stop' };
}

/** Returns the loader of the middleware of a child turn: the middleware of the session, then the middleware of its agent. */
function hooksBelow(above: PartSettings['hooks'], agent: Agent): PartSettings['hooks'] {
  if (above === null && !agent.middleware?.length) return null;
  const load = above ?? loadedHooks([]);
  return (clock) => load(clock, agent);
}

/** Returns the tools of an agent: the tools of the session that it names, and the tools of the domains that it names. */
export function childTools(tools: ToolRegistry, { tools: named = [] }: Agent): ToolRegistry {
  const has = (id: string) => named.includes(id) || named.includes(id.slice(0, id.indexOf('.')));
  const ids = new Set(tools.definitions.map(({ name }) => name).filter(has));
  const domains = tools.domains
    .map((domain) => {
      const kept = domain.tools.filter(({ name }) => ids.has(`${domain.id}.${name}`));
      // Only staged discovery reads the domains of a turn: their ids, tools and instructions. The instructions are those of a whole domain.
      return kept.length === domain.tools.length ? domain : { id: domain.id, tools: kept };
    })
    .filter(({ id, tools, instructions }) => tools.length > 0 || (instructions && named.includes(id)));
  const domainIds = new Set(domains.map(({ id }) => id));
  return {
    ...tools,
    domains,
    notes: tools.notes.filter(({ id }) => domainIds.has(id)),
    definitions: Object.freeze(tools.definitions.filter(({ name }) => ids.has(name))),
    get: (id) => (ids.has(id) ? tools.get(id) : undefined),
  };
}

/**
 * Returns true if a turn may run a child turn.
 *
 * @param path the ids of child turns, from the outermost to the turn; empty for the turn that the user sent
 */
export function mayRunChild({ maxDepth }: Limits, path: readonly string[]): boolean {
  return path.length < maxDepth;
}
