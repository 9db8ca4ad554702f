import { isComposingKey } from '../session/composing-key.js';
import type { Chat } from '../session/chat.js';

/**
 * The keys and presses around the list of chats. Control or Command with K opens it, Escape closes it, the
 * arrows move through its rows, Enter in the search goes to the first row, and it closes when the user
 * continues elsewhere.
 *
 * @param place the element that contains the chat
 * @returns the function that ends it
 */
export function chatListKeys(place: HTMLElement, { chats }: Pick<Chat, 'chats'>): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  const list = (): HTMLElement | null => place.querySelector<HTMLElement>('.chat-list');

  const onKey = (event: KeyboardEvent): void => {
    if (isComposingKey(event)) return;
    if (
      (event.ctrlKey || event.metaKey) &&
      !event.shiftKey &&
      !event.altKey &&
      event.key.toLowerCase() === 'k'
    ) {
      event.preventDefault();
      chats.openSearch();
    } else if (event.key === 'Escape' && list()?.contains(document.activeElement)) {
      // The first Escape belongs to the title that is being edited.
      event.preventDefault();
      if (chats.renamed.peek() === null) chats.close();
      else chats.cancelRename();
    } else if (event.key === 'Enter' && list()?.querySelector('[type="search"]:focus')) {
      event.preventDefault();
      if (!event.repeat) chats.showFirst();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      if (step(list(), event.key === 'ArrowDown' ? 1 : -1)) event.preventDefault();
    }
  };
  const onElsewhere = ({ target }: Event): void => {
    const element = target as Element;
    if (!chats.isOpen.peek() || element.closest('.chat-list, [data-focus="chats"]')) return;
    chats.leave();
  };
  addEventListener('keydown', onKey, { signal });
  addEventListener('pointerdown', onElsewhere, { signal });
  addEventListener('focusin', onElsewhere, { signal });
  return () => controller.abort();
}

/** Moves the focus from the search through the rows. Returns false if the focus is elsewhere. */
function step(list: HTMLElement | null, by: 1 | -1): boolean {
  if (!list) return false;
  const stops = [...list.querySelectorAll<HTMLElement>('[data-stop]')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  const next = stops[at + by];
  if (at < 0 || next === undefined) return false;
  next.focus();
  return true;
}
