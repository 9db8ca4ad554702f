/** Pixels from the end that still count as being there. */
const NEAR = 48;

/**
 * Keeps a scroller at its end while what it holds grows, unless the reader scrolled away. Returns the function that
 * ends it.
 */
export function followEnd(scroller: HTMLElement, content: HTMLElement): () => void {
  let atEnd = true;
  const look = () => {
    atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR;
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
