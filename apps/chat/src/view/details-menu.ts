/** A menu that a view draws as `<details>`, with ways to close it that the browser does not have. */
export interface DetailsMenu {
  /**
   * Closes the open menu, and returns the focus to the button that opened it. Returns false if no menu is
   * open.
   */
  close(): boolean;
  /** Stops listening. */
  stop(): void;
}

/**
 * Closes a menu at a press outside of it. The focus goes to the pressed place.
 *
 * @param place the element that contains the menus
 * @param menu the selector of the menus
 */
export function detailsMenu(place: Element, menu: string): DetailsMenu {
  const openMenu = (): HTMLDetailsElement | null => place.querySelector(`${menu}[open]`);
  const onPress = ({ target }: Event): void => {
    const open = openMenu();
    if (open !== null && !open.contains(target as Node)) open.open = false;
  };
  addEventListener('pointerdown', onPress);
  return {
    close() {
      const open = openMenu();
      if (open === null) return false;
      open.open = false;
      open.querySelector('summary')?.focus();
      return true;
    },
    stop: () => removeEventListener('pointerdown', onPress),
  };
}
