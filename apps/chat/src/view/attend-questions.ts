import type { Questions } from '../session/questions.js';

/**
 * Tells the session that the user is at the questions, as long as the focus or the pointer is in their list: their deadlines stand still.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function attendQuestions(
  place: HTMLElement,
  { questions }: { readonly questions: Pick<Questions, 'attend'> },
): () => void {
  let isFocused = false;
  let isPointed = false;
  // Later than the event: a view that removes the element with the focus is in the middle of its drawing.
  const tell = (): void => queueMicrotask(() => questions.attend(isFocused || isPointed));
  const isInList = (target: EventTarget | null): boolean =>
    target instanceof Element && target.closest('.questions') !== null;

  const onFocusIn = ({ target }: FocusEvent): void => {
    isFocused = isInList(target);
    tell();
  };
  // The focus is nowhere for a moment while it goes from one element to the next, and while a view removes the element that had it.
  const onFocusOut = ({ relatedTarget }: FocusEvent): void => {
    isFocused = isInList(relatedTarget);
    tell();
  };
  const onPointerOver = ({ target }: PointerEvent): void => {
    isPointed = isInList(target);
    tell();
  };
  const onPointerLeave = (): void => {
    isPointed = false;
    tell();
  };
  place.addEventListener('focusin', onFocusIn);
  place.addEventListener('focusout', onFocusOut);
  place.addEventListener('pointerover', onPointerOver);
  place.addEventListener('pointerleave', onPointerLeave);
  return () => {
    place.removeEventListener('focusin', onFocusIn);
    place.removeEventListener('focusout', onFocusOut);
    place.removeEventListener('pointerover', onPointerOver);
    place.removeEventListener('pointerleave', onPointerLeave);
    isFocused = isPointed = false;
    tell();
  };
}
