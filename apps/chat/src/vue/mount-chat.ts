import { createApp } from 'vue';
import type { MountChat } from '../view/chat-view.js';
import ChatPanel from './ChatPanel.vue';

/** The chat, drawn by Vue. */
export const mountChat: MountChat = (target, chat) => {
  const app = createApp(ChatPanel, { chat });
  app.mount(target);
  return app;
};
