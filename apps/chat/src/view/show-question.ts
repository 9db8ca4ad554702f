import { effect } from '@banister/session';
import { computed } from '@banister/session/signals';
import type { Chat } from '../session/chat.js';

/** Events after which the user has chosen the position of the question. */
const acts = ['keydown', 'pointerdown', 'wheel', 'touchmove', 'input'] as const;

/**
 * On a screen that is too small for everything, keeps the part of the chat in sight that the user needs next:
 * the conversation when a turn begins, the unfolded question, the errors of a refused approval, the
 * conversation after the last answer, and the question or problem of a version command. The title of the
 * question stays in sight while the rows before it shrink and its form grows, until the user's next input.
 *
 * @param place the element that contains the chat
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
  const title = (): Element | null => place.querySelector('.question[data-open] .question-title');
  const showTitle = (): void => title()?.scrollIntoView({ block: 'nearest' });
  /** Whether the title of the question has to stay readable. */
  let isTitleHeld = false;
  const sizes = new ResizeObserver(() => {
    if (isTitleHeld) showTitle();
  });
  const holdTitle = (): void => {
    showTitle();
    isTitleHeld = true;
    sizes.disconnect();
    for (const part of place.querySelectorAll('.questions-box > *')) sizes.observe(part);
  };
  const onInput = ({ target }: Event): void => {
    const isToggle = target instanceof Element && target.closest('.form-json') !== null;
    isTitleHeld = isToggle && isInSight(title());
  };
  for (const act of acts) place.addEventListener(act, onInput, { capture: true, passive: true });
  const isRunning = computed(() => session.value.isRunning.value);
  const stopTurn = effect(() => {
    if (isRunning.value) show('.conversation', 'nearest');
  });
  const currentId = computed(() => questions.current.value?.id ?? null);
  const stop = effect(() => {
    const id = currentId.value;
    if (id !== null) {
      // Scrolls to its end first and then to its title, so that the title is in sight even if the question is
      // too high for the screen.
      inFrame(() => {
        place.querySelector('.question[data-open]')?.scrollIntoView({ block: 'nearest' });
        holdTitle();
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
  // A question takes the focus as a whole after an answer. The browser scrolls to the nearer edge instead of
  // the title.
  const onFocus = ({ target }: FocusEvent): void => {
    if ((target as Element).matches('.question[data-open]')) inFrame(holdTitle);
  };
  place.addEventListener('focusin', onFocus);
  return () => {
    stopTurn();
    stop();
    stopErrors();
    stopNotice();
    sizes.disconnect();
    for (const act of acts) place.removeEventListener(act, onInput, { capture: true });
    place.removeEventListener('focusin', onFocus);
    cancelAnimationFrame(frame);
  };
}

/**
 * Returns whether an element is in the part of its scroller that the head of the questions does not cover.
 */
function isInSight(element: Element | null): boolean {
  if (element === null) return false;
  const { top, bottom, left } = element.getBoundingClientRect();
  const isUncovered = (y: number) => element.contains(document.elementFromPoint(left + 1, y));
  return isUncovered(top + 1) && isUncovered(bottom - 1);
}
