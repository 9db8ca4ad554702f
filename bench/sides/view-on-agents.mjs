// W25: the view of `view-on-session.mjs`, with agents that stream side by side.
import { savedConversation } from '../inputs/saved-conversation.mjs';
import { teamOfAgents } from '../inputs/team-of-agents.mjs';

export async function createViewOnAgents({ framework, model, past, document, drawn, agents }) {
  const { createAgentSession, mountAgents } = await import(`../../.cache/bench/views/${framework}.js`);
  const session = createAgentSession({
    ...teamOfAgents(model, agents),
    conversation: savedConversation(past),
  });
  const target = document.body.appendChild(document.createElement('div'));
  mountAgents(target, session, drawn);
  return { target, send: () => session.send('Hello') };
}
