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
    if (!atEnd) return;
    scroller.scrollTop = scroller.scrollHeight;
    // What the browser itself moved, because something above turned out to be less tall, is nobody's scroll.
    top = scroller.scrollTop;
  };
  // However tall that turns out to be which comes into sight on the way.
  const jump = ({ key }: KeyboardEvent) => {
    if (key !== 'End') return;
    atEnd = true;
    follow();
  };
  follow();
  const observer = new ResizeObserver(follow);
  observer.observe(content);
  observer.observe(scroller);
  scroller.addEventListener('scroll', look, { passive: true });
  scroller.addEventListener('keydown', jump);
  return () => {
    observer.disconnect();
    scroller.removeEventListener('keydown', jump);
    scroller.removeEventListener('scroll', look);
  };
}
