import type { MountChat } from './chat-view.js';

interface ChatViewEntry {
  readonly label: string;
  /** Each view is a separate chunk, so a framework is downloaded when it is chosen. */
  load(): Promise<{ readonly mountChat: MountChat }>;
}

/** The views of the chat, one for each framework. Every view in this list is offered and tested. */
export const chatViews = {
  react: { label: 'React', load: () => import('../react/mount-chat.js') },
  vue: { label: 'Vue', load: () => import('../vue/mount-chat.js') },
  svelte: { label: 'Svelte', load: () => import('../svelte/mount-chat.js') },
} satisfies Readonly<Record<string, ChatViewEntry>>;

export type ViewName = keyof typeof chatViews;

export const viewNames = Object.keys(chatViews) as readonly ViewName[];
