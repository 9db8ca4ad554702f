import { effect } from '@banister/session';
import type { Questions } from '../session/questions.js';

/**
 * Tells the session that the user is at the questions while the focus or the pointer is in their list. Then
 * their deadlines stand still.
 *
 * @param place the element that contains the chat
 * @returns the function that ends it
 */
export function attendQuestions(
  place: HTMLElement,
  { questions }: { readonly questions: Pick<Questions, 'attend' | 'open'> },
): () => void {
  let isPointed = false;
  let isOver = false;
  const { ownerDocument: page } = place;
  // If another window has the focus, an element of this window may still be its active element.
  const isFocused = (): boolean => page.hasFocus() && isInList(page.activeElement);
  // Runs after the event, because a view that removes the focused element is in the middle of its drawing,
  // and for a moment nothing has the focus.
  const tell = (): void => queueMicrotask(() => questions.attend(!isOver && (isPointed || isFocused())));
  const isInList = (target: EventTarget | null): boolean =>
    target instanceof Element && target.closest('.questions') !== null;

  // If the focus moves to an element of the list, the event of that element follows.
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
  // Not every browser fires an event if a focused element is removed.
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
