/** The code of a key that an input method has taken: all browsers give it, whatever the key is. */
const TAKEN = 229;

/**
 * Whether a key belongs to an input method, which composes a word with it. Safari ends the composition before the Enter that accepts the word: of
 * that event `isComposing` is false, and the code alone tells.
 */
export function isComposingKey({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === TAKEN;
}
