/** Pixels between the shown element and the edge of its scroller. */
const MARGIN = 24;

/** Scrolls one scroller until an element in it is in sight. The page around it does not scroll. */
export function showWithin(scroller: HTMLElement, element: Element): void {
  const frame = scroller.getBoundingClientRect();
  const target = element.getBoundingClientRect();
  scroller.scrollBy({
    left: distance(frame.left, frame.right, target.left, target.right),
    top: distance(frame.top, frame.bottom, target.top, target.bottom),
  });
}

/**
 * Returns how far to scroll along one axis so that a range is inside its frame; 0 if it is inside already.
 */
function distance(frameStart: number, frameEnd: number, start: number, end: number): number {
  if (start < frameStart) return start - frameStart - MARGIN;
  if (end <= frameEnd) return 0;
  return Math.min(end - frameEnd + MARGIN, start - frameStart);
}
