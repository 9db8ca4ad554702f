import { showWithin } from './show-within.js';

/** The time for which the board stays where the user scrolled it, in milliseconds. */
const SCROLLED_MS = 3000;

/** The time for which a card stays in sight while the board gets smaller, as beside a chat that grows, in milliseconds. */
const KEPT_MS = 1500;

/** Brings cards into sight before a change of them shows, except while the user drags, types or has just scrolled. */
export interface IntoView {
  show(element: Element): void;
  stop(): void;
}

export function createIntoView(surface: HTMLElement): IntoView {
  const controller = new AbortController();
  const { signal } = controller;
  let scrolledAt = -Infinity;
  const scrolled = () => (scrolledAt = performance.now());
  // The scroll events of a board that is moved by its own code do not count.
  for (const type of ['wheel', 'touchmove'] as const)
    surface.addEventListener(type, scrolled, { signal, passive: true });
  surface.addEventListener(
    'pointerdown',
    // On the bar of the scroller itself, or between the cards.
    ({ target }) => target === surface && scrolled(),
    { signal },
  );
  let shown: { readonly element: Element; readonly at: number } | null = null;
  const observer = new ResizeObserver(() => {
    if (shown !== null && performance.now() - shown.at < KEPT_MS) showWithin(surface, shown.element);
  });
  observer.observe(surface);
  return {
    show(element) {
      const isDragged = surface.querySelector('[data-dragging]') !== null;
      const isTyped = surface.contains(document.activeElement) && isField(document.activeElement);
      if (isDragged || isTyped || performance.now() - scrolledAt < SCROLLED_MS) {
        shown = null;
        return;
      }
      shown = { element, at: performance.now() };
      showWithin(surface, element);
    },
    stop() {
      controller.abort();
      observer.disconnect();
    },
  };
}

function isField(element: Element | null): boolean {
  return element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
}
