import { effect } from '@banister/session';
import type { Cues, FocusWish } from '../session/cues.js';

/** Events by which a user shows that the focus is right. */
const acts = ['keydown', 'pointerdown', 'input'] as const;

/**
 * Focuses the element that a command asks for, as soon as a view has drawn it. Keeps the focus there while
 * views move their elements, until the user's next key, press or input. Speech and some phone keyboards write
 * without a key.
 *
 * @param place the element that contains the chat
 * @returns the function that ends it
 */
export function grantFocus(place: HTMLElement, { wish }: Pick<Cues, 'wish'>): () => void {
  let open: FocusWish | null = null;
  const grant = (): void => {
    const target = open?.names
      .map((name) => place.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]:not(:disabled)`))
      .find((element) => element !== null);
    if (!target || target === document.activeElement) return;
    target.focus();
    if (target instanceof HTMLTextAreaElement) beginAtEnd(target);
  };
  const drop = (): void => {
    open = null;
    observer.disconnect();
  };
  const observer = new MutationObserver(grant);
  // Wishes from before this view are outdated.
  let known = wish.peek();
  const stop = effect(() => {
    if (wish.value === known) return;
    known = open = wish.value;
    observer.observe(place, {
      subtree: true,
      childList: true,
      attributes: true,
      attributeFilter: ['disabled'],
    });
    grant();
  });
  for (const act of acts) addEventListener(act, drop, { capture: true });
  return () => {
    stop();
    drop();
    for (const act of acts) removeEventListener(act, drop, { capture: true });
  };
}

/** In some views, the caret of a text field that never had the focus is at its start. */
function beginAtEnd(field: HTMLTextAreaElement): void {
  if (field.selectionEnd === 0) field.setSelectionRange(field.value.length, field.value.length);
}
