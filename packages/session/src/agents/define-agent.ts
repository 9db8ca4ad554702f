import { checked } from '@banister/provider/internal/errors/checked';
import {
  any,
  filled,
  func,
  having,
  list,
  only,
  optional,
  orNull,
  positive,
  repeatedIn,
  text,
  wrong,
  type Read,
} from '@banister/provider/internal/json/shape';
import { identifier } from '../tools/domain.js';
import type { Agent } from './agent.js';
import { agentLimitsShape } from './agent-limits.js';

/** Reads ids of domains and tools, each of them once. */
const idList: Read = (value, at) => {
  const twice = repeatedIn(list(filled)(value, at));
  return twice === undefined ? value : wrong(at, `"${twice}" is listed twice`);
};

const agentShape = only({
  id: identifier,
  title: optional(filled),
  description: optional(filled),
  role: text,
  tools: optional(idList),
  provider: optional(having({ id: text, stream: func })),
  guards: optional(list(func)),
  middleware: optional(list(having({ name: filled }))),
  context: optional(list(having({ id: filled, summary: func, policy: any }))),
  limits: optional(agentLimitsShape),
  compaction: optional(orNull(having({ at: positive, to: positive }))),
} satisfies Record<keyof Agent, Read>);

/**
 * Checks an agent and returns it.
 *
 * @throws AgentSessionError `invalid-configuration`, with the name of the field
 *
 * @example
 * const notes = defineAgent({
 *   id: 'notes',
 *   description: 'Writes release notes from finished cards.',
 *   role: 'You write release notes. End with the text of the notes.',
 *   tools: ['board.read_cards', 'docs'],
 * });
 * const session = createAgentSession({ provider, domains: [board, docs], agents: [notes] });
 */
export function defineAgent(agent: Agent): Agent {
  checked(agentShape, agent, 'An agent');
  return agent;
}
