/** The elements that take the focus if nothing nearer can: the message field of each chat on the page. */
const homes = new Set<HTMLElement>();

/**
 * An element that can take the focus as a whole. Items of a menu do not count, because only the menu's keys
 * reach them.
 */
const WHOLE = '[tabindex="-1"]:not([role="menuitem"])';

/** Makes an element take lost focus of the parts around it. Returns the function that ends this. */
export function focusHome(element: HTMLElement): () => void {
  homes.add(element);
  return () => void homes.delete(element);
}

/**
 * Keeps the focus in a part of the page. When the focused element is removed, disabled or hidden, the focus
 * moves to the first element in that part with `tabindex="-1"`, or else to the nearest home. It never moves
 * to a button, because a held or repeated key must not press another button.
 *
 * Focus outside of the part is never changed. Returns the function that ends it.
 */
export function keepFocus(part: HTMLElement): () => void {
  let held: Element | null = null;
  let byKeys = false;

  const hold = ({ target }: Pick<FocusEvent, 'target'>) => {
    held = target as Element;
    byKeys = held.matches(':focus-visible');
  };
  // Some browsers fire `focusout` also before an element is removed. Whether the user left it is known a
  // moment later. If the window lost the focus, the element is still the active element.
  const leave = () =>
    queueMicrotask(() => {
      if (held && isUsable(held) && held !== document.activeElement) held = null;
    });
  const isUsable = (element: Element) => part.contains(element) && !element.matches(':disabled');
  const look = (changes: readonly MutationRecord[]) => {
    if (!held) return;
    // `checkVisibility` is called only for a change of `aria-busy`, because it makes the browser compute
    // styles.
    const wasHidden =
      changes.some(({ attributeName }) => attributeName === 'aria-busy') &&
      !held.checkVisibility({ visibilityProperty: true });
    if (isUsable(held) && !wasHidden) return;
    const lost = held;
    held = null;
    const { activeElement } = document;
    // Other code has moved the focus already.
    if (activeElement && activeElement !== document.body && activeElement !== lost) return;
    (part.querySelector<HTMLElement>(WHOLE) ?? homeFor(part, byKeys))?.focus();
  };

  if (part.contains(document.activeElement)) hold({ target: document.activeElement });
  const observer = new MutationObserver(look);
  observer.observe(part, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled', 'aria-busy'],
  });
  part.addEventListener('focusin', hold);
  part.addEventListener('focusout', leave);
  return () => {
    observer.disconnect();
    part.removeEventListener('focusin', hold);
    part.removeEventListener('focusout', leave);
  };
}

/**
 * Returns the nearest home. After a touch there is none, because a focused message field covers half of the
 * screen with a keyboard.
 */
function homeFor(part: HTMLElement, byKeys: boolean): HTMLElement | undefined {
  if (!byKeys && matchMedia('(pointer: coarse)').matches) return undefined;
  for (let around: HTMLElement | null = part; around; around = around.parentElement) {
    for (const home of homes) if (around.contains(home)) return home;
  }
  return undefined;
}
