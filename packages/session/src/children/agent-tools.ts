import type { Agent } from '../agents/agent.js';
import type { ToolRegistry } from '../tools/tool-registry.js';

/** Returns the tools of an agent, by the ids of domains and of tools that it lists. */
export function agentTools(tools: ToolRegistry, { tools: ids = [] }: Agent): ToolRegistry {
  const listed = new Set(ids);
  const has = (id: string) => listed.has(id) || listed.has(id.slice(0, id.indexOf('.')));
  const domains = tools.domains.filter((domain) =>
    domain.tools.some(({ name }) => has(`${domain.id}.${name}`)),
  );
  return {
    ...tools,
    domains,
    notes: tools.notes.filter(({ id }) => domains.some((domain) => domain.id === id)),
    definitions: Object.freeze(tools.definitions.filter(({ name }) => has(name))),
    get: (id) => (has(id) ? tools.get(id) : undefined),
  };
}
