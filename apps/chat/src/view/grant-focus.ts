import { effect } from '@handrail/session';
import type { Cues, FocusWish } from '../session/cues.js';

/**
 * Gives the focus to the element that a command asks for, as soon as a view has drawn it, and keeps it there while views move
 * their elements, until the user's next key or press.
 *
 * @param place the element that the chat is drawn in
 * @returns the function that ends it
 */
export function grantFocus(place: HTMLElement, { wish }: Pick<Cues, 'wish'>): () => void {
  let open: FocusWish | null = null;
  const grant = (): void => {
    const target = open?.names
      .map((name) => place.querySelector<HTMLElement>(`[data-focus="${CSS.escape(name)}"]:enabled`))
      .find((element) => element !== null);
    if (target && target !== document.activeElement) target.focus();
  };
  const drop = (): void => {
    open = null;
    observer.disconnect();
  };
  const observer = new MutationObserver(grant);
  // Wishes from before this view are over.
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
  addEventListener('keydown', drop, { capture: true });
  addEventListener('pointerdown', drop, { capture: true });
  return () => {
    stop();
    drop();
    removeEventListener('keydown', drop, { capture: true });
    removeEventListener('pointerdown', drop, { capture: true });
  };
}
