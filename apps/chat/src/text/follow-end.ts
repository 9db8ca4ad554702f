/** Pixels from the end that still count as being there. */
const NEAR = 48;

/**
 * Keeps a scroller at its end while what it holds grows, unless the reader scrolled away. Returns the function that
 * ends it.
 */
export function followEnd(scroller: HTMLElement, content: HTMLElement): () => void {
  let atEnd = true;
  let top = scroller.scrollTop;
  const look = () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    if (scrollHeight - scrollTop - clientHeight < NEAR) atEnd = true;
    // Who scrolls away scrolls up. Content that grew before this event came leaves the reader as far from the end.
    else if (scrollTop < top) atEnd = false;
    top = scrollTop;
  };
  const follow = () => {
    if (atEnd) scroller.scrollTop = scroller.scrollHeight;
  };
  const observer = new ResizeObserver(follow);
  observer.observe(content);
  observer.observe(scroller);
  scroller.addEventListener('scroll', look, { passive: true });
  return () => {
    observer.disconnect();
    scroller.removeEventListener('scroll', look);
  };
}
