/** Pixels around the visible area that count as near: an element there is drawn before a reader scrolls to it. */
const NEAR = 800;
/** So few are drawn wherever they are: a short conversation is not worth waiting for. */
const FEW = 16;

type Draw = () => void;

const waiting = new WeakMap<Element, Draw>();
let batch: Element[] = [];
let observer: IntersectionObserver | undefined;

/**
 * Calls back once, as soon as an element is visible or near the visible area: for work that is too costly for a whole page.
 * There is nothing to clean up.
 */
export function whenNear(element: Element, draw: Draw): void {
  if (batch.push(element) === 1) queueMicrotask(sortBatch);
  waiting.set(element, draw);
}

/**
 * A conversation opens at its end: the elements near that end are drawn before the first paint, so that they never
 * change while they are visible. The rest is left to an observer, which costs nothing until the reader scrolls.
 */
function sortBatch(): void {
  const elements = batch;
  batch = [];
  const all = elements.length <= FEW;
  while (elements.length > 0 && (all || isNear(elements.at(-1)!))) draw(elements.pop()!);
  // A margin around the window and around each scroller in it. A browser without `scrollMargin` draws visible elements only.
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
