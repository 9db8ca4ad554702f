/**
 * Ids are random instead of counted, because they must differ from the ids of a board that was saved earlier.
 */
export function newCardId(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `card-${number.toString(36).padStart(7, '0')}`;
}
