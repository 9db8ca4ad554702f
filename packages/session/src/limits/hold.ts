/** Opens a hold, and returns the function that releases it. Calling that function again does nothing. */
export type Hold = () => () => void;

/**
 * Creates the holds of something that stands still while at least one of them is open.
 *
 * @param changed called when the first hold opens, and when the last open hold is released
 */
export function holdsOf(changed: (isHeld: boolean) => void): Hold {
  let open = 0;
  return () => {
    if (open++ === 0) changed(true);
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      if (--open === 0) changed(false);
    };
  };
}
