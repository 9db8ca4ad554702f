/** Random, not counted: ids must stay apart from those of a board that was saved earlier. */
export function newCardId(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1));
  return `card-${number.toString(36).padStart(7, '0')}`;
}
