/** The elements that take the focus when there is nothing nearer: the message box of each chat on the page. */
const homes = new Set<HTMLElement>();

/** A thing that takes the focus as a whole; the items of a menu are reached by its keys alone. */
const WHOLE = '[tabindex="-1"]:not([role="menuitem"])';

/** Makes an element the one that takes lost focus, for the parts around it. Returns the function that ends this. */
export function focusHome(element: HTMLElement): () => void {
  homes.add(element);
  return () => void homes.delete(element);
}

/**
 * Keeps the focus in a part of the page: when the element with the focus is removed, disabled or hidden, the focus
 * goes to the first thing in that part that takes it as a whole (`tabindex="-1"`), or else to the nearest home. Never to
 * a button: the next press of a key that is held, or pressed twice, must not do something else.
 *
 * Focus outside of the part is never touched. Returns the function that ends it.
 */
export function keepFocus(part: HTMLElement): () => void {
  let held: Element | null = null;
  let byKeys = false;

  const hold = ({ target }: Pick<FocusEvent, 'target'>) => {
    held = target as Element;
    byKeys = held.matches(':focus-visible');
  };
  // Some browsers send `focusout` also for an element that is being removed, and before it is: whether the user left it
  // is known a moment later. When the window lost the focus, the element is still the active one.
  const leave = () =>
    queueMicrotask(() => {
      if (held && isUsable(held) && held !== document.activeElement) held = null;
    });
  const isUsable = (element: Element) => part.contains(element) && !element.matches(':disabled');
  const look = (changes: readonly MutationRecord[]) => {
    if (!held) return;
    // `checkVisibility` is called for a change of `aria-busy` alone: it makes the browser compute styles.
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

/** The nearest one. A touch gets none: a message box with the focus covers half of the screen with a keyboard. */
function homeFor(part: HTMLElement, byKeys: boolean): HTMLElement | undefined {
  if (!byKeys && matchMedia('(pointer: coarse)').matches) return undefined;
  for (let around: HTMLElement | null = part; around; around = around.parentElement) {
    for (const home of homes) if (around.contains(home)) return home;
  }
  return undefined;
}
