import { effect } from '@banister/session';
import type { Questions } from '../session/questions.js';

/**
 * Tells the session that the user is at the questions, as long as the focus or the pointer is in their list: their deadlines stand still.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function attendQuestions(
  place: HTMLElement,
  { questions }: { readonly questions: Pick<Questions, 'attend' | 'open'> },
): () => void {
  let isPointed = false;
  let isOver = false;
  const { ownerDocument: page } = place;
  // Another window has the focus while the element of this one keeps it.
  const isFocused = (): boolean => page.hasFocus() && isInList(page.activeElement);
  // Later than the event: a view that removes the element with the focus is in the middle of its drawing, and the focus is nowhere for a moment.
  const tell = (): void => queueMicrotask(() => questions.attend(!isOver && (isPointed || isFocused())));
  const isInList = (target: EventTarget | null): boolean =>
    target instanceof Element && target.closest('.questions') !== null;

  // Where the focus goes to an element of the list, the event of that element follows.
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    if (!isInList(relatedTarget)) tell();
  };
  const onPointerOver = ({ target }: PointerEvent): void => {
    isPointed = isInList(target);
    tell();
  };
  const onPointerLeave = (): void => {
    isPointed = false;
    tell();
  };
  // Not every browser has an event for a focus whose element was removed.
  const stop = effect(() => {
    void questions.open.value;
    tell();
  });
  place.addEventListener('focusin', tell);
  place.addEventListener('focusout', onFocusOut);
  place.addEventListener('pointerover', onPointerOver);
  place.addEventListener('pointerleave', onPointerLeave);
  return () => {
    stop();
    place.removeEventListener('focusin', tell);
    place.removeEventListener('focusout', onFocusOut);
    place.removeEventListener('pointerover', onPointerOver);
    place.removeEventListener('pointerleave', onPointerLeave);
    isOver = true;
    tell();
  };
}
