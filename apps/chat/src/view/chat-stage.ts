import type { Chat } from '../session/chat.js';
import type { ChatView, MountChat } from './chat-view.js';
import { chatViews, type ViewName } from './chat-views.js';

/** Holds the chat on the page, one view at a time. `data-view` of its element names the view. */
export interface ChatStage {
  /**
   * Shows a view, or none. The previous view stays until the new view has loaded. If several views are
   * requested meanwhile, the last request counts. Rejects if the view cannot be loaded; then the previous
   * view stays.
   */
  show(view: ViewName | null): Promise<void>;
}

/** @param load for tests */
export function createChatStage(
  element: HTMLElement,
  chat: Chat,
  load: (name: ViewName) => Promise<{ readonly mountChat: MountChat }> = (name) => chatViews[name].load(),
): ChatStage {
  let asked: ViewName | null = null;
  let shown: { readonly name: ViewName; readonly view: ChatView } | null = null;
  let work: Promise<void> = Promise.resolve();

  const change = async (name: ViewName | null): Promise<void> => {
    if (name !== asked || name === (shown?.name ?? null)) return;
    const loaded = name && { name, ...(await load(name)) };
    if (name !== asked) return;
    await shown?.view.unmount();
    shown = null;
    delete element.dataset['view'];
    if (!loaded) return;
    shown = { name: loaded.name, view: await loaded.mountChat(element, chat) };
    element.dataset['view'] = loaded.name;
  };

  return {
    show(name) {
      asked = name;
      const changed = work.then(() => change(name));
      work = changed.catch(() => {});
      return changed;
    },
  };
}
