/** Pixels from the end that still count as being there. */
const NEAR = 48;

/**
 * Keeps a scroller at its end while what it holds grows, unless the reader scrolled away, writes in it, unfolds a part of it, or is asked in it
 * (`data-hold`). Returns the function that ends it.
 */
export function followEnd(scroller: HTMLElement, content: HTMLElement): () => void {
  let atEnd = true;
  let top = scroller.scrollTop;
  const look = () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    // A place that the question needs is none that the reader chose.
    if (isHeld()) {
      top = scrollTop;
      return;
    }
    if (scrollHeight - scrollTop - clientHeight < NEAR) atEnd = true;
    // A reader who leaves the end scrolls up. Content that grew before this event moves the end, not the reader.
    else if (scrollTop < top) atEnd = false;
    top = scrollTop;
  };
  // A reader who writes in the content sees what is written, and one who is asked sees the question.
  const isHeld = () =>
    content.querySelector('[data-hold]') !== null ||
    (content.contains(document.activeElement) && document.activeElement?.localName === 'textarea');
  let isUnfolding = false;
  const follow = () => {
    if (!atEnd || isUnfolding || isHeld()) return;
    scroller.scrollTop = scroller.scrollHeight;
    // The browser moves the content when an element above turns out to be less tall: that is no scroll of the reader.
    top = scroller.scrollTop;
  };
  // The key may first draw elements whose height was estimated: `follow` corrects the place for each.
  const jump = ({ key }: KeyboardEvent) => {
    if (key !== 'End') return;
    atEnd = true;
    follow();
  };
  // What is unfolded is read from its beginning. Its view has drawn it by the next frame.
  const unfold = ({ target }: Event) => {
    if (!(target instanceof Element) || target.closest('summary, [aria-expanded="false"]') === null) return;
    isUnfolding = true;
    requestAnimationFrame(() => requestAnimationFrame(() => (isUnfolding = false)));
  };
  follow();
  const observer = new ResizeObserver(follow);
  observer.observe(content);
  observer.observe(scroller);
  scroller.addEventListener('scroll', look, { passive: true });
  scroller.addEventListener('keydown', jump);
  // Before the view changes what was pressed.
  content.addEventListener('click', unfold, { capture: true });
  return () => {
    observer.disconnect();
    content.removeEventListener('click', unfold, { capture: true });
    scroller.removeEventListener('keydown', jump);
    scroller.removeEventListener('scroll', look);
  };
}
