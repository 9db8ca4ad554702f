import { fromSession } from '@banister/svelte';
import { mount } from 'svelte';
import Chat from './Chat.svelte';
import { liveText, settledMessages, type Views } from './view.js';

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
  const messages = fromSession(session, settledMessages);
  const live = fromSession(session, liveText);
  const state = {
    get messages() {
      return messages.current;
    },
    get live() {
      return live.current;
    },
  };
  mount(Chat, { target, props: { state, drawn } });
};
