import type { Chat } from '../session/chat.js';

/** A chat view that is on the page. */
export interface ChatView {
  /** Takes it off the page. The chat goes on without it. */
  unmount(): void | Promise<void>;
}

/**
 * The door of every framework's chat view: draws the chat into an empty element. Whatever has to outlive the view is in
 * the chat, so that another one can take over at any moment.
 */
export type MountChat = (target: HTMLElement, chat: Chat) => ChatView | Promise<ChatView>;
