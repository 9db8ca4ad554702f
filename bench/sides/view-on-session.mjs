// W7: the view of `view-on-state.mjs`, bound to a session.
import { savedConversation } from '../inputs/saved-conversation.mjs';

export async function createViewOnSession({ framework, model, past, document, drawn }) {
  const { createAgentSession, mountSession } = await import(`../../.cache/bench/views/${framework}.js`);
  const session = createAgentSession({
    provider: {
      id: 'bench',
      model: 'scripted',
      capabilities: { images: false },
      stream: (_, signal) => model({ results: 0, signal }),
    },
    conversation: savedConversation(past),
  });
  const target = document.body.appendChild(document.createElement('div'));
  mountSession(target, session, drawn);
  return { target, send: () => session.send('Hello') };
}
