/** The smallest distance between a menu and the edge of the window, in pixels. */
const EDGE = 8;
/** The distance between a menu and its button, in pixels. */
const GAP = 4;

/**
 * The keys and the position of each menu of the page: an element with `popover` and `role="menu"`, which a
 * button opens with `popovertarget`. The browser opens it over everything else, and closes it with Escape and
 * at a press outside. The first item takes the focus; the arrows, Home and End move through the items; and
 * the button gets the focus back before a chosen item acts.
 *
 * @returns the function that ends it
 */
export function menuKeys(root: HTMLElement): () => void {
  const controller = new AbortController();
  const options = { capture: true, signal: controller.signal };
  root.addEventListener(
    'beforetoggle',
    ({ target, newState }) => {
      if (isMenu(target) && newState === 'open') place(target);
    },
    options,
  );
  root.addEventListener(
    'toggle',
    ({ target, newState }) => {
      if (isMenu(target) && newState === 'open') itemsOf(target)[0]?.focus();
    },
    options,
  );
  root.addEventListener(
    'click',
    (event) => {
      const item = (event.target as Element).closest('[role="menuitem"]');
      const menu = item?.closest('[popover]');
      if (!isMenu(menu)) return;
      if (item!.getAttribute('aria-disabled') === 'true') event.stopPropagation();
      else menu.hidePopover();
    },
    options,
  );
  root.addEventListener(
    'keydown',
    (event) => {
      const menu = (event.target as Element).closest('[popover]');
      if (!isMenu(menu)) return;
      if (event.key === 'Tab') menu.hidePopover();
      else if (step(itemsOf(menu), event.key)) {
        event.preventDefault();
        // Keys of an open menu are not keys of the page.
        event.stopPropagation();
      }
    },
    options,
  );
  const closeAll = (): void => {
    for (const menu of root.querySelectorAll<HTMLElement>('[popover][role="menu"]:popover-open'))
      menu.hidePopover();
  };
  addEventListener('resize', closeAll, { signal: controller.signal });
  return () => controller.abort();
}

function isMenu(target: EventTarget | null | undefined): target is HTMLElement {
  return target instanceof HTMLElement && target.matches('[popover][role="menu"]');
}

function itemsOf(menu: HTMLElement): readonly HTMLElement[] {
  return [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')];
}

/** Moves the focus; returns false for a key with another meaning. */
function step(items: readonly HTMLElement[], key: string): boolean {
  const at = items.indexOf(document.activeElement as HTMLElement);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: (at + 1) % items.length,
    ArrowUp: at <= 0 ? items.length - 1 : at - 1,
    Home: 0,
    End: items.length - 1,
  };
  const to = targets[key];
  if (to === undefined) return false;
  items[to]?.focus();
  return true;
}

/**
 * Places the menu beside its button, on the side with more room. Their ends are aligned in the direction of
 * the page's text.
 */
function place(menu: HTMLElement): void {
  const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
  if (!button) return;
  const { top, bottom, left, right } = button.getBoundingClientRect();
  const { clientWidth: width, clientHeight: height } = document.documentElement;
  const isAbove = top > height - bottom;
  const { style } = menu;
  style.inset = 'auto';
  if (button.matches(':dir(rtl)')) style.left = `${Math.max(EDGE, left)}px`;
  else style.right = `${Math.max(EDGE, width - right)}px`;
  style[isAbove ? 'bottom' : 'top'] = `${isAbove ? height - top + GAP : bottom + GAP}px`;
  style.maxHeight = `${(isAbove ? top : height - bottom) - GAP - EDGE}px`;
}
