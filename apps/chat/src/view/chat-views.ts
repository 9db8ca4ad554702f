import type { MountChat } from './chat-view.js';

interface ChatViewEntry {
  readonly label: string;
  /** One chunk for each: a framework is downloaded when it is chosen. */
  load(): Promise<{ readonly mountChat: MountChat }>;
}

/** The chat in every framework that there is a view in. A view is on offer, and under test, once it stands here. */
export const chatViews = {
  react: { label: 'React', load: () => import('../react/mount-chat.js') },
  vue: { label: 'Vue', load: () => import('../vue/mount-chat.js') },
  svelte: { label: 'Svelte', load: () => import('../svelte/mount-chat.js') },
} satisfies Readonly<Record<string, ChatViewEntry>>;

export type ViewName = keyof typeof chatViews;

export const viewNames = Object.keys(chatViews) as readonly ViewName[];
