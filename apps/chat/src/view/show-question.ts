import { computed, effect } from '@handrail/session';
import type { Chat } from '../session/chat.js';
import type { Question } from '../session/questions.js';

/**
 * Keeps in sight, on a screen that is too small for everything, the part of the chat that the user needs next: the conversation
 * when a turn begins, the questions when the chat begins to ask, the errors of an approval that was refused, the title of the question that took the focus
 * after an answer, the conversation after the last answer, and the question or the problem of a command about versions.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function showQuestion(
  place: HTMLElement,
  { session, questions, branching }: Pick<Chat, 'session' | 'questions' | 'branching'>,
): () => void {
  let before: readonly Question[] = [];
  let frame = 0;
  const show = (find: () => Element | null, block: ScrollLogicalPosition): void => {
    cancelAnimationFrame(frame);
    // Views draw before the next frame.
    frame = requestAnimationFrame(() => find()?.scrollIntoView({ block }));
  };
  const isRunning = computed(() => session.value.isRunning.value);
  const stopTurn = effect(() => {
    if (isRunning.value) show(() => place.querySelector('.conversation'), 'nearest');
  });
  const stop = effect(() => {
    const open = questions.open.value;
    const refused = open.findIndex(
      ({ errors }) => errors.length > 0 && !before.some((question) => question.errors === errors),
    );
    if (open.length > 0 && before.length === 0) {
      show(() => place.querySelector('.confirmations'), 'start');
    } else if (refused >= 0) {
      const alert = `:nth-child(${refused + 1} of .confirmation) [role="alert"]`;
      show(() => place.querySelector(alert), 'nearest');
    } else if (open.length === 0 && before.length > 0) {
      show(() => place.querySelector('.conversation'), 'nearest');
    }
    before = open;
  });
  const isAsked = computed(() => (branching.notice.value?.kind ?? 'staying') !== 'staying');
  const stopNotice = effect(() => {
    if (isAsked.value) show(() => place.querySelector('.grip'), 'nearest');
  });
  // A question takes the focus as a whole after an answer. The browser scrolls to the edge that is nearer, not to the title.
  const onFocus = ({ target }: FocusEvent): void => {
    const question = target as Element;
    if (question.matches('.confirmation'))
      show(() => question.querySelector('.confirmation-title'), 'nearest');
  };
  place.addEventListener('focusin', onFocus);
  return () => {
    stopTurn();
    stop();
    stopNotice();
    place.removeEventListener('focusin', onFocus);
    cancelAnimationFrame(frame);
  };
}
