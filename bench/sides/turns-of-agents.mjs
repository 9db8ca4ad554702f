import { teamOfAgents } from '../inputs/team-of-agents.mjs';
import { createAgentSession } from './built-session.mjs';

/** A session whose model runs agents side by side, in one call. Each agent gives the answer that `turn-alone.mjs` gives. */
export function createTurnsOfAgents({ model, agents, ...options }) {
  const session = createAgentSession({ ...options, ...teamOfAgents(model, agents) });
  const children = () => session.state.turns.at(-1).rounds[0].parts[0].children;
  return {
    session,
    texts: () => children().map(({ rounds }) => rounds.at(-1).parts.at(-1).text),
  };
}
