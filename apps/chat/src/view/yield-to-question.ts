import { effect } from '@banister/session';
import { computed } from '@banister/session/signals';
import type { Questions } from '../session/questions.js';

/**
 * On a small screen a question replaces the message field. If a message is being written, the field stays
 * beside the question until the focus leaves it, and typed keys go to the field. If the question covers any
 * other focused element, the focus moves to the conversation, which contains the question. There, no key
 * answers the question, and Tab leads into it.
 *
 * @param place the element that contains the chat
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
    // Views draw before the next frame. After that the browser removes the focus from hidden elements.
    if (isOpen.value) frame = requestAnimationFrame(moveFocus);
  });
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    // If another window has the focus, the message field is still the active element.
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
