import { mount } from 'svelte';
import PlainChat from './PlainChat.svelte';
import SessionChat from './SessionChat.svelte';
import type { Views } from './view.js';

export { createAgentSession } from '@handrail/svelte';

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
  mount(PlainChat, { target, props: { state, drawn } });
  return {
    stream: (text) => void (live = text),
    settle: (settled) => void (messages = settled),
  };
};

export const mountSession: Views['mountSession'] = (target, session, drawn) => {
  mount(SessionChat, { target, props: { session, drawn } });
};
