/** The key code that all browsers give for a key that an input method has taken. */
const TAKEN = 229;

/**
 * Returns whether a key belongs to an input method, which composes a word with it. Safari ends the
 * composition before the Enter that accepts the word. In that event `isComposing` is false, so only the key
 * code tells.
 */
export function isComposingKey({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === TAKEN;
}
