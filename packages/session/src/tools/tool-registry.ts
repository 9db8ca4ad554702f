import { AgentSessionError } from '../errors/agent-session-error.js';
import type { JsonObject } from '../json/json.js';
import type { ToolDefinition } from '../provider/provider.js';
import { defineDomain, jsonSchemaOf, type Domain } from './domain.js';
import type { Capability, Tool } from './tool.js';

/** A tool as the session knows it. */
export interface RegisteredTool {
  /** `domain.tool` */
  readonly id: string;
  readonly domain: Domain;
  readonly tool: Tool;
  readonly capabilities: readonly Capability[];
  readonly readOnly: boolean;
  readonly irreversible: boolean;
  readonly schema: JsonObject;
}

/** The tools of a session, fixed when it is created. */
export interface ToolRegistry {
  readonly domains: readonly Domain[];
  readonly definitions: readonly ToolDefinition[];
  get(id: string): RegisteredTool | undefined;
}

/** Checks the domains and lists their tools. Throws `invalid-configuration`, naming the offender. */
export function createToolRegistry(domains: readonly Domain[]): ToolRegistry {
  const ids = new Set<string>();
  const tools = new Map<string, RegisteredTool>();
  for (const domain of domains) {
    defineDomain(domain);
    if (ids.has(domain.id)) {
      throw new AgentSessionError('invalid-configuration', `The domain "${domain.id}" is registered twice.`);
    }
    ids.add(domain.id);
    for (const tool of domain.tools) {
      const registered = register(domain, tool);
      tools.set(registered.id, registered);
    }
  }
  const definitions = Array.from(tools.values(), ({ id, tool, schema }) => ({
    name: id,
    description: tool.description,
    parameters: schema,
  }));
  return { domains: [...domains], definitions, get: (id) => tools.get(id) };
}

function register(domain: Domain, tool: Tool): RegisteredTool {
  const capabilities: readonly Capability[] = tool.capabilities?.length
    ? [...tool.capabilities]
    : ['mutating'];
  return {
    id: `${domain.id}.${tool.name}`,
    domain,
    tool,
    capabilities,
    readOnly: capabilities.includes('readOnly'),
    irreversible: tool.irreversible ?? false,
    schema: jsonSchemaOf(tool.parameters, (reason) => {
      throw new AgentSessionError('invalid-configuration', `The tool "${domain.id}.${tool.name}" ${reason}`);
    }),
  };
}
