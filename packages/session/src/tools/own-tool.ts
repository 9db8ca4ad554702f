import type { JsonObject } from '@banister/provider';
import type { Tool } from './tool.js';
import type { RegisteredTool, ToolRegistry } from './tool-registry.js';

/** Returns a tool of the session itself, which changes nothing in the app. The id begins with `banister.`. */
export function ownTool(source: Tool): RegisteredTool {
  return {
    id: `banister.${source.name}`,
    domain: { id: 'banister', tools: [source] },
    tool: source,
    source,
    capabilities: ['readOnly'],
    readOnly: true,
    irreversible: false,
    abortable: true,
    replay: 'safe',
    schema: source.parameters as JsonObject,
  };
}

/** Returns the tools of a turn: the given tools, and a tool of the session itself, which the model sees last. */
export function withOwnTool(tools: ToolRegistry, source: Tool): ToolRegistry {
  const tool = ownTool(source);
  const definition = { name: tool.id, description: source.description, parameters: tool.schema };
  return {
    ...tools,
    definitions: Object.freeze([...tools.definitions, Object.freeze(definition)]),
    get: (id) => (id === tool.id ? tool : tools.get(id)),
  };
}
