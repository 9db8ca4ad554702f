import type { Chat } from '../session/chat.js';

/** A chat view that is on the page. */
export interface ChatView {
  /** Removes the view from the page. The chat continues without it. */
  unmount(): void | Promise<void>;
}

/**
 * The entry of each framework's chat view. It draws the chat into an empty element. State that outlives the
 * view is in the chat, so that another view can replace it at any moment.
 */
export type MountChat = (target: HTMLElement, chat: Chat) => ChatView | Promise<ChatView>;
