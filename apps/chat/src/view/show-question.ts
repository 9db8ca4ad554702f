import { effect } from '@handrail/session';
import type { Chat } from '../session/chat.js';

/**
 * Scrolls to the questions when the chat begins to ask: on a small screen they may lie outside of what is shown.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function showQuestion(place: HTMLElement, { questions }: Pick<Chat, 'questions'>): () => void {
  let wasAsking = false;
  let frame = 0;
  const stop = effect(() => {
    const isAsking = questions.open.value.length > 0;
    if (isAsking && !wasAsking) {
      // Views draw before the next frame.
      frame = requestAnimationFrame(() => {
        place.querySelector('.confirmations')?.scrollIntoView({ block: 'start' });
      });
    }
    wasAsking = isAsking;
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
  };
}
