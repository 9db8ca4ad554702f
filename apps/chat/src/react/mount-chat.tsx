import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import type { MountChat } from '../view/chat-view.js';
import { ChatPanel } from './chat/ChatPanel.js';

/** The chat, drawn by React. */
export const mountChat: MountChat = (target, chat) => {
  const root = createRoot(target);
  root.render(
    <StrictMode>
      <ChatPanel chat={chat} />
    </StrictMode>,
  );
  return root;
};
