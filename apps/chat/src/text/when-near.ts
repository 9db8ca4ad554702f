/** Pixels around what can be seen that count as near it: what is drawn there is ready when a reader comes to it. */
const NEAR = 800;
/** So few are drawn wherever they are: a short conversation is not worth waiting for. */
const FEW = 16;

type Draw = () => void;

const waiting = new WeakMap<Element, Draw>();
let batch: Element[] = [];
let observer: IntersectionObserver | undefined;

/**
 * Calls back once, as soon as an element is in sight or near it: for what costs too much to draw where nobody looks.
 * There is nothing to clean up.
 */
export function whenNear(element: Element, draw: Draw): void {
  if (batch.push(element) === 1) queueMicrotask(sortBatch);
  waiting.set(element, draw);
}

/**
 * Whoever opens a conversation is at its end: what is near that end is drawn before the browser paints, so that nobody
 * sees it change. The rest is left to an observer, which costs nothing until somebody scrolls there.
 */
function sortBatch(): void {
  const elements = batch;
  batch = [];
  const all = elements.length <= FEW;
  while (elements.length > 0 && (all || isNear(elements.at(-1)!))) draw(elements.pop()!);
  // A margin around the window and around whatever scrolls in it. Who does not know the second draws what is in sight.
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
