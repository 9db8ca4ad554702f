import { effect } from '@banister/session';
import { computed } from '@banister/session/signals';
import type { Questions } from '../session/questions.js';

/**
 * On a small screen a question takes the place of the message. A message that is being written stays beside it until the focus leaves it, and so
 * do the keys that are typed. The focus of anything else that the question covers goes to the conversation, which holds the question: no key of
 * an answer acts there, and Tab leads into the question.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function yieldToQuestion(
  place: HTMLElement,
  { questions }: { readonly questions: Pick<Questions, 'current'> },
): () => void {
  let frame = 0;
  const { ownerDocument: page } = place;
  const isWriting = ({ activeElement }: Document): boolean =>
    activeElement instanceof HTMLTextAreaElement &&
    place.contains(activeElement) &&
    activeElement.matches('[data-focus="message"]') &&
    activeElement.value !== '';
  const moveFocus = (): void => {
    const { activeElement } = page;
    if (activeElement === null || !place.contains(activeElement) || activeElement.checkVisibility()) return;
    place.querySelector<HTMLElement>('.conversation')?.focus({ preventScroll: true });
  };
  const isOpen = computed(() => questions.current.value !== null);
  const stop = effect(() => {
    cancelAnimationFrame(frame);
    if (isOpen.value && isWriting(page)) place.dataset['writing'] = 'true';
    else delete place.dataset['writing'];
    // Views draw before the next frame, and the browser takes the focus from what is hidden after it.
    if (isOpen.value) frame = requestAnimationFrame(moveFocus);
  });
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    // Another window has the focus while the message keeps it.
    const isElsewhere = !(relatedTarget instanceof Element && relatedTarget.closest('.handle'));
    if (isElsewhere && page.hasFocus()) delete place.dataset['writing'];
  };
  place.addEventListener('focusout', onFocusOut);
  return () => {
    stop();
    cancelAnimationFrame(frame);
    delete place.dataset['writing'];
    place.removeEventListener('focusout', onFocusOut);
  };
}
