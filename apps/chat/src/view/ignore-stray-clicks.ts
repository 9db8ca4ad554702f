/**
 * Ignores the second click of a double click if another button is under the pointer by then. After the first
 * click on Approve the next question moves up, but a user who double-clicks means only one question. The
 * second press also does not select the text that is there when the button has gone.
 *
 * @param place the element that contains the chat
 * @returns the function that ends it
 */
export function ignoreStrayClicks(place: HTMLElement): () => void {
  let pressed: Element | null = null;
  const onClick = (event: MouseEvent): void => {
    const button = (event.target as Element).closest('button');
    // `detail` counts quick clicks at one place. It is 0 for a key.
    if (event.detail <= 1 || button === pressed) {
      pressed = button;
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const onMouseDown = (event: MouseEvent): void => {
    if (event.detail > 1 && pressed !== null && !pressed.isConnected) event.preventDefault();
  };
  place.addEventListener('click', onClick, { capture: true });
  place.addEventListener('mousedown', onMouseDown, { capture: true });
  return () => {
    place.removeEventListener('click', onClick, { capture: true });
    place.removeEventListener('mousedown', onMouseDown, { capture: true });
  };
}
