import { effect } from '@handrail/session';
import type { Chat } from '../session/chat.js';
import type { Question } from '../session/questions.js';

/**
 * Keeps in sight, on a screen that is too small for everything, the part of the chat that the user needs next: the questions
 * when the chat begins to ask, the errors of an approval that was refused, the title of the question that took the focus
 * after an answer, and the conversation after the last answer.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function showQuestion(place: HTMLElement, { questions }: Pick<Chat, 'questions'>): () => void {
  let before: readonly Question[] = [];
  let frame = 0;
  const show = (selector: string, block: ScrollLogicalPosition): void => {
    cancelAnimationFrame(frame);
    // Views draw before the next frame.
    frame = requestAnimationFrame(() => place.querySelector(selector)?.scrollIntoView({ block }));
  };
  const stop = effect(() => {
    const open = questions.open.value;
    const refused = open.findIndex(
      ({ errors }) => errors.length > 0 && !before.some((question) => question.errors === errors),
    );
    if (open.length > 0 && before.length === 0) show('.confirmations', 'start');
    else if (refused >= 0) show(`:nth-child(${refused + 1} of .confirmation) [role="alert"]`, 'nearest');
    else if (open.length === 0 && before.length > 0) show('.conversation', 'nearest');
    else if (open.length < before.length) show('.confirmation:focus .confirmation-title', 'nearest');
    before = open;
  });
  return () => {
    stop();
    cancelAnimationFrame(frame);
  };
}
