import { createAgentSession } from './built-session.mjs';

/** A session whose own model answers. It has the same methods as `turns-of-agents.mjs`. */
export function createTurnAlone({ model, agents: _one, ...options }) {
  const session = createAgentSession({ ...options, provider: providerOf(model) });
  const text = () => session.state.turns.at(-1).rounds.at(-1).parts.at(-1).text;
  return { session, texts: () => [text()] };
}

function providerOf(model) {
  return {
    id: 'bench',
    model: 'scripted',
    stream: (_request, signal) => model({ signal }),
  };
}
