/**
 * Pixels around the visible area that count as near. An element there is drawn before a reader scrolls to it.
 */
const NEAR = 800;
/** This many elements are drawn wherever they are, because in a short conversation waiting brings nothing. */
const FEW = 16;

type Draw = () => void;

const waiting = new WeakMap<Element, Draw>();
let batch: Element[] = [];
let observer: IntersectionObserver | undefined;

/**
 * Calls `draw` once, as soon as an element is visible or near the visible area. It is for work that is too
 * costly for a whole page. There is nothing to clean up.
 */
export function whenNear(element: Element, draw: Draw): void {
  if (batch.push(element) === 1) queueMicrotask(sortBatch);
  waiting.set(element, draw);
}

/**
 * A conversation opens at its end, so the elements near that end are drawn before the first paint and never
 * change while they are visible. The other elements are left to an observer, which costs nothing until the
 * reader scrolls.
 */
function sortBatch(): void {
  const elements = batch;
  batch = [];
  const all = elements.length <= FEW;
  while (elements.length > 0 && (all || isNear(elements.at(-1)!))) draw(elements.pop()!);
  // A margin around the window and around each scroller in it. A browser without `scrollMargin` draws only
  // visible elements.
  const margin = `${NEAR}px`;
  observer ??= new IntersectionObserver(drawNear, { rootMargin: margin, scrollMargin: margin });
  for (const element of elements) observer.observe(element);
}

function isNear(element: Element): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > -NEAR && top < innerHeight + NEAR;
}

function drawNear(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries) if (isIntersecting) draw(target);
}

function draw(element: Element): void {
  observer?.unobserve(element);
  waiting.get(element)?.();
  waiting.delete(element);
}
