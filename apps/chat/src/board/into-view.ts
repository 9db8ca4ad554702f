import { showWithin } from './show-within.js';

/** How long, in milliseconds, the board stays where the user scrolled it. */
const SCROLLED_MS = 3000;

/**
 * How long, in milliseconds, a card stays in sight while the board shrinks, for example beside a growing
 * chat.
 */
const KEPT_MS = 1500;

/** Scrolls cards into sight before their change shows, unless the user drags, types or has just scrolled. */
export interface IntoView {
  show(element: Element): void;
  stop(): void;
}

export function createIntoView(surface: HTMLElement): IntoView {
  const controller = new AbortController();
  const { signal } = controller;
  let scrolledAt = -Infinity;
  const scrolled = () => (scrolledAt = performance.now());
  // Scroll events do not count, because the board's own code also scrolls.
  for (const type of ['wheel', 'touchmove'] as const)
    surface.addEventListener(type, scrolled, { signal, passive: true });
  surface.addEventListener(
    'pointerdown',
    // The press is on the scroll bar, or between the cards.
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
