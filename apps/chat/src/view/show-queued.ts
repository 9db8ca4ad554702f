import { effect } from '@banister/session';
import type { Chat } from '../session/chat.js';

/**
 * Scrolls to the message that was queued last.
 *
 * @param place the element that contains the chat
 * @returns the function that ends it
 */
export function showQueued(place: HTMLElement, { queue }: Pick<Chat, 'queue'>): () => void {
  let frame = 0;
  const known = queue.arrived.peek();
  const stop = effect(() => {
    const id = queue.arrived.value;
    if (id === null || id === known) return;
    cancelAnimationFrame(frame);
    // Views draw before the next frame.
    frame = requestAnimationFrame(() => {
      place.querySelector(`.queue-row[data-id="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'nearest' });
    });
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
  };
}
