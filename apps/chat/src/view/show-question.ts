import { computed, effect } from '@handrail/session';
import type { Chat } from '../session/chat.js';

/**
 * Keeps in sight, on a screen that is too small for everything, the part of the chat that the user needs next: the conversation
 * when a turn begins, the question that is unfolded, the errors of an approval that was refused, the conversation after the last answer, and the
 * question or the problem of a command about versions.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function showQuestion(
  place: HTMLElement,
  { session, questions, branching }: Pick<Chat, 'session' | 'questions' | 'branching'>,
): () => void {
  let before: string | null = null;
  let frame = 0;
  const inFrame = (act: () => void): void => {
    cancelAnimationFrame(frame);
    // Views draw before the next frame.
    frame = requestAnimationFrame(act);
  };
  const show = (selector: string, block: ScrollLogicalPosition): void =>
    inFrame(() => place.querySelector(selector)?.scrollIntoView({ block }));
  const isRunning = computed(() => session.value.isRunning.value);
  const stopTurn = effect(() => {
    if (isRunning.value) show('.conversation', 'nearest');
  });
  const currentId = computed(() => questions.current.value?.id ?? null);
  const stop = effect(() => {
    const id = currentId.value;
    if (id !== null) {
      // The end of it first, and then its title: of a question that is too high for the screen the title is what is in sight.
      inFrame(() => {
        place.querySelector('.question[data-open]')?.scrollIntoView({ block: 'nearest' });
        place.querySelector('.question[data-open] .question-title')?.scrollIntoView({ block: 'nearest' });
      });
    } else if (before !== null) {
      show('.conversation', 'nearest');
    }
    before = id;
  });
  const refusals = computed(() => questions.current.value?.errors ?? null);
  const stopErrors = effect(() => {
    if ((refusals.value?.length ?? 0) > 0) show('.question[data-open] [role="alert"]', 'nearest');
  });
  const isAsked = computed(() => (branching.notice.value?.kind ?? 'staying') !== 'staying');
  const stopNotice = effect(() => {
    if (isAsked.value) show('.grip', 'nearest');
  });
  // A question takes the focus as a whole after an answer. The browser scrolls to the edge that is nearer, not to the title.
  const onFocus = ({ target }: FocusEvent): void => {
    if ((target as Element).matches('.question[data-open]'))
      show('.question[data-open] .question-title', 'nearest');
  };
  place.addEventListener('focusin', onFocus);
  return () => {
    stopTurn();
    stop();
    stopErrors();
    stopNotice();
    place.removeEventListener('focusin', onFocus);
    cancelAnimationFrame(frame);
  };
}
