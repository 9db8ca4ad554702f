import { mount, unmount } from 'svelte';
import type { MountChat } from '../view/chat-view.js';
import ChatPanel from './ChatPanel.svelte';

export const mountChat: MountChat = (target, chat) => {
  const panel = mount(ChatPanel, { target, props: { chat } });
  return { unmount: () => unmount(panel) };
};
