import { isComposingKey } from '../session/composing-key.js';

/** Moves a step of a plan with the arrow keys, while its handle has the focus. */
export function moveWithArrows(event: KeyboardEvent, move: (by: 1 | -1) => void): void {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey || ctrlKey || metaKey || shiftKey || (key !== 'ArrowUp' && key !== 'ArrowDown')) return;
  // Otherwise the arrows go to another question.
  event.preventDefault();
  move(key === 'ArrowDown' ? 1 : -1);
}

/** Keeps a title on one line. Ctrl or ⌘ with Enter approves the question. */
export function keepOneLine(event: KeyboardEvent): void {
  if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && !isComposingKey(event))
    event.preventDefault();
}
