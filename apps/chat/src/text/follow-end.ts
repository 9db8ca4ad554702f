/** A scroller this many pixels from its end still counts as at the end. */
const NEAR = 48;

/**
 * Keeps a scroller at its end while its content grows, unless the reader scrolls away, writes in it, unfolds
 * a part of it, or is asked in it (`data-hold`). Returns the function that ends it.
 */
export function followEnd(scroller: HTMLElement, content: HTMLElement): () => void {
  let atEnd = true;
  let top = scroller.scrollTop;
  const look = () => {
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    // A scroll position that the question needs is not the reader's choice.
    if (isHeld()) {
      top = scrollTop;
      return;
    }
    if (scrollHeight - scrollTop - clientHeight < NEAR) atEnd = true;
    // A reader who leaves the end scrolls up. Content that grew before this event moves the end, not the reader.
    else if (scrollTop < top) atEnd = false;
    top = scrollTop;
  };
  // If the reader writes in the content, the editor stays in sight; if the reader is asked, the question
  // does.
  const isHeld = () =>
    content.querySelector('[data-hold]') !== null ||
    (content.contains(document.activeElement) && document.activeElement?.localName === 'textarea');
  let isUnfolding = false;
  const follow = () => {
    if (!atEnd || isUnfolding || isHeld()) return;
    scroller.scrollTop = scroller.scrollHeight;
    // The browser moves the content when an element above turns out to be smaller. That is not a scroll by
    // the reader.
    top = scroller.scrollTop;
  };
  // The key may first draw elements whose height was estimated. `follow` corrects the position for each.
  const jump = ({ key }: KeyboardEvent) => {
    if (key !== 'End') return;
    atEnd = true;
    follow();
  };
  // Unfolded content is read from its beginning. Its view has drawn it by the next frame.
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
  // In the capture phase, before the view changes the pressed element.
  content.addEventListener('click', unfold, { capture: true });
  return () => {
    observer.disconnect();
    content.removeEventListener('click', unfold, { capture: true });
    scroller.removeEventListener('keydown', jump);
    scroller.removeEventListener('scroll', look);
  };
}
