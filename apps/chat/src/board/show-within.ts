/** Pixels between what is shown and the edge of its scroller. */
const MARGIN = 24;

/** Scrolls one scroller until an element in it is in sight. The page around it stays where it is. */
export function showWithin(scroller: HTMLElement, element: Element): void {
  const frame = scroller.getBoundingClientRect();
  const target = element.getBoundingClientRect();
  scroller.scrollBy({
    left: distance(frame.left, frame.right, target.left, target.right),
    top: distance(frame.top, frame.bottom, target.top, target.bottom),
  });
}

/** How far to scroll along one axis, so that a stretch lies in its frame: 0 where it does already. */
function distance(frameStart: number, frameEnd: number, start: number, end: number): number {
  if (start < frameStart) return start - frameStart - MARGIN;
  if (end <= frameEnd) return 0;
  return Math.min(end - frameEnd + MARGIN, start - frameStart);
}
