import { deepFreeze } from '@banister/provider/internal/json/json';
import type { JsonObject } from '@banister/provider';
import type { Agent } from '../agents/agent.js';
import * as told from '../conversation/agent-words.js';
import type { ChildTurn } from '../conversation/turn-record.js';
import { withOwnTool } from '../tools/own-tool.js';
import type { Tool } from '../tools/tool.js';
import { failed } from '../tools/tool-outcome.js';
import type { ToolRegistry } from '../tools/tool-registry.js';
import { toldResult } from './told-result.js';

type Described = Agent & Required<Pick<Agent, 'description'>>;

/** The parameters for each list of agents: one object for all turns, so that the check of the arguments is compiled once. */
const known = new WeakMap<readonly Agent[], JsonObject>();

/**
 * Returns the tools of a turn: the given tools, and `banister.delegate` if the model may delegate tasks to an agent, which has a
 * description for it.
 *
 * @param agents the agents of the session
 * @param recordOf returns the record of a child turn of the turn, with the id that its run returned
 */
export function withDelegateTool(
  tools: ToolRegistry,
  agents: readonly Agent[],
  recordOf: (id: string) => ChildTurn | undefined,
): ToolRegistry {
  const described = agents.filter((agent): agent is Described => agent.description !== undefined);
  if (described.length === 0) return tools;
  let parameters = known.get(agents);
  if (parameters === undefined) known.set(agents, (parameters = parametersOf(described)));
  return withOwnTool(tools, delegateTool(described, parameters, recordOf));
}

function parametersOf(agents: readonly Described[]): JsonObject {
  return deepFreeze({
    type: 'object',
    properties: {
      agent: { type: 'string', enum: agents.map(({ id }) => id) },
      task: { type: 'string', minLength: 1 },
    },
    required: ['agent', 'task'],
    additionalProperties: false,
  });
}

function delegateTool(
  agents: readonly Described[],
  parameters: JsonObject,
  recordOf: (id: string) => ChildTurn | undefined,
): Tool {
  return {
    name: 'delegate',
    title: 'Give a task to an agent',
    description: told.delegateTool(agents),
    parameters,
    capabilities: ['readOnly'],
    async execute(args, { run }) {
      const { agent, task } = args as { readonly agent: string; readonly task: string };
      const result = await run(agent, task);
      const text = toldResult(agent, recordOf(result.id), result);
      return result.status === 'failed' ? failed(text) : text;
    },
  };
}
