import type { BackLayers } from './back-layers.js';

const MENUS = '[popover][role="menu"], details:is(.grip-menu, .remember, .permissions)';

/**
 * Lets Back close the menus that a view draws as popovers or as `<details>`.
 *
 * @returns the function that ends it
 */
export function menuLayers(root: HTMLElement, { open }: Pick<BackLayers, 'open'>): () => void {
  const opened = new Map<Element, () => void>();
  const onToggle = ({ target }: Event): void => {
    // A menu that was removed while it was open fires no event.
    for (const [menu, closed] of opened)
      if (!isOpen(menu)) {
        opened.delete(menu);
        closed();
      }
    if (!(target instanceof HTMLElement) || !target.matches(MENUS)) return;
    if (isOpen(target) && !opened.has(target))
      opened.set(
        target,
        open(() => close(target)),
      );
  };
  root.addEventListener('toggle', onToggle, { capture: true });
  return () => root.removeEventListener('toggle', onToggle, { capture: true });
}

function isOpen(menu: Element): boolean {
  return menu.isConnected && menu.matches('[open], :popover-open');
}

function close(menu: HTMLElement): boolean {
  const wasOpen = isOpen(menu);
  if (!wasOpen) return false;
  if (!(menu instanceof HTMLDetailsElement)) menu.hidePopover();
  else {
    menu.open = false;
    menu.querySelector('summary')?.focus();
  }
  return true;
}
