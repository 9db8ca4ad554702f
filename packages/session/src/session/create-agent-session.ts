import type { LocalAgentSession } from './agent-session.js';
import { publicSession } from './public-session.js';
import { SessionFront } from './session-front.js';
import { checkOptions, type SessionOptions } from './session-options.js';

/**
 * Creates a session, and starts to load its code in the background. Calls wait for the code, in their order.
 *
 * @throws AgentSessionError `invalid-configuration`, with the name of the wrong option; `unsupported` for a conversation that a newer
 *   release saved
 *
 * @example
 * const session = createAgentSession({ provider: openai({ model, baseURL }), domains: [board] });
 * effect(() => { output.textContent = session.currentText.value; });
 * await session.send('Add a card "Plan" to Todo');
 */
export function createAgentSession(options: SessionOptions): LocalAgentSession {
  checkOptions(options);
  const front: SessionFront = new SessionFront(options, () => session);
  const session = publicSession(front);
  front.open();
  front.loadAhead();
  return session;
}
