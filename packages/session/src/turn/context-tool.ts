import { deepFreeze } from '@banister/provider/internal/json/json';
import * as told from '../conversation/model-words.js';
import type { ContextSource } from '../context/context-source.js';
import { isReadable } from '../context/is-readable.js';
import { withOwnTool } from '../tools/own-tool.js';
import type { Tool } from '../tools/tool.js';
import { failed } from '../tools/tool-outcome.js';
import type { ToolRegistry } from '../tools/tool-registry.js';

/** One object for all turns, so that sessions compile the check of its arguments once. */
const parameters = deepFreeze({
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
  additionalProperties: false,
} as const);

/** Returns the tools of a turn: the tools of the session, and `banister.read_context` if the model can ask for a source. */
export function withContextTool(
  tools: ToolRegistry,
  context: readonly ContextSource[],
  timeoutMs: number,
): ToolRegistry {
  const sources = context.filter(isReadable);
  if (sources.length === 0) return tools;
  return withOwnTool(tools, contextTool(sources, timeoutMs));
}

function contextTool(sources: readonly ContextSource[], timeoutMs: number): Tool {
  const ids = sources.map(({ id }) => JSON.stringify(id)).join(', ');
  return {
    name: 'read_context',
    title: 'Read a part of the app',
    description: told.contextTool(ids),
    parameters,
    capabilities: ['readOnly'],
    // The call gets the time limit of the sources; otherwise only the limit of the turn would end it.
    timeoutMs,
    execute: (args) => {
      const { id } = args as { readonly id: string };
      const source = sources.find((one) => one.id === id);
      if (source === undefined) return failed(told.unknownPart(id, ids));
      return source.detail === undefined ? source.summary() : source.detail();
    },
  };
}
