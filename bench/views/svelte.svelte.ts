import { fromSession, type AgentSession } from '@banister/svelte';
import { mount } from 'svelte';
import Chat from './Chat.svelte';
import { agentTexts, liveText, settledMessages, type Drawn, type Views } from './view.js';

export { createAgentSession } from '@banister/svelte';

export const mountPlain: Views['mountPlain'] = (target, past, drawn) => {
  let messages = $state.raw(past);
  let live = $state('');
  const state = {
    get messages() {
      return messages;
    },
    get live() {
      return live;
    },
  };
  mount(Chat, { target, props: { state, drawn } });
  return {
    stream: (text) => void (live = text),
    settle: (settled) => void (messages = settled),
  };
};

export const mountSession: Views['mountSession'] = (target, session, drawn) => {
  mountChat(target, session, drawn, liveText);
};

export const mountAgents: Views['mountAgents'] = (target, session, drawn) => {
  mountChat(target, session, drawn, agentTexts);
};

function mountChat(
  target: HTMLElement,
  session: AgentSession,
  drawn: Drawn,
  shown: (session: AgentSession) => string | readonly string[],
): void {
  const messages = fromSession(session, settledMessages);
  const live = fromSession(session, shown);
  const state = {
    get messages() {
      return messages.current;
    },
    get live() {
      return live.current;
    },
  };
  mount(Chat, { target, props: { state, drawn } });
}
