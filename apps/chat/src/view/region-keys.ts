/**
 * The parts of the page in the order of F6, each with the elements that take the focus: the first existing
 * element counts.
 */
const regions = [
  ['.chat-region', ['.question[data-open]', '[data-focus="message"]', 'button']],
  ['.top-bar', ['select', 'button']],
  ['.board', ['.card-title[tabindex="0"]', 'button']],
  ['.how', ['button']],
] as const;

/**
 * F6 moves from one part of the page to the next, with Shift to the previous part. From outside of all parts
 * it moves to the chat. There it goes first to an open question, even from the message field.
 *
 * @returns the function that ends it
 */
export function regionKeys(root: HTMLElement): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'F6' || event.ctrlKey || event.altKey || event.metaKey) return;
    const shown = regions.flatMap(([selector, targets]) => {
      const region = root.querySelector<HTMLElement>(selector);
      const target = region && firstOf(region, targets);
      return target ? [{ region, target }] : [];
    });
    const { activeElement } = document;
    const at = shown.findIndex(({ region }) => region.contains(activeElement));
    const isFirst = at === -1;
    const question = root.querySelector<HTMLElement>('.question[data-open]');
    const isBeside = at === 0 && question?.closest('.questions')?.contains(activeElement) === false;
    const next =
      isFirst || (isBeside && !event.shiftKey)
        ? 0
        : (at + (event.shiftKey ? -1 : 1) + shown.length) % shown.length;
    if (!shown[next]) return;
    event.preventDefault();
    // The key must not reach the part that it leaves.
    event.stopPropagation();
    shown[next].target.focus();
  };
  root.ownerDocument.addEventListener('keydown', onKeyDown, { capture: true });
  return () => root.ownerDocument.removeEventListener('keydown', onKeyDown, { capture: true });
}

function firstOf(region: HTMLElement, selectors: readonly string[]): HTMLElement | null {
  for (const selector of selectors)
    for (const found of region.querySelectorAll<HTMLElement>(selector))
      if (found.checkVisibility()) return found;
  return null;
}
