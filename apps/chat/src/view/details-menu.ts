/** A menu that a view draws as `<details>`, and the ways to close it that the browser does not have. */
export interface DetailsMenu {
  /** Closes the menu that is open, and gives the focus back to the button that opened it. Returns false where none is open. */
  close(): boolean;
  /** Ends the listening. */
  stop(): void;
}

/**
 * Closes a menu at a press beside it: the focus goes where the press was.
 *
 * @param place the element that the menus are drawn in
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
