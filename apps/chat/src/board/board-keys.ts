/** What a key does to the focused card. */
export type CardAction =
  | 'rename'
  | 'details'
  | 'delete'
  | 'select'
  | 'move-up'
  | 'move-down'
  | 'move-left'
  | 'move-right'
  | 'focus-up'
  | 'focus-down'
  | 'focus-left'
  | 'focus-right';

/** The shortcuts, in the words of the page. */
export const shortcuts: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: 'Arrow keys', does: 'Go to another card' },
  { keys: 'Alt + arrow keys', does: 'Move the card' },
  { keys: 'Enter', does: 'Select the card: the agent knows which one you mean' },
  { keys: 'F2', does: 'Rename the card' },
  { keys: 'E', does: 'Edit its owner, due date, label and estimate' },
  { keys: 'Delete', does: 'Delete the card' },
  { keys: 'N', does: 'New card in this column' },
  { keys: 'Ctrl or ⌘ + Z', does: 'Undo your last edit' },
  { keys: 'Ctrl or ⌘ + Shift + Z', does: 'Redo it' },
  { keys: 'F6', does: 'Go to the next part of the page, or to a question' },
  { keys: 'Esc', does: 'Stop the agent' },
  { keys: 'Y, N, A', does: 'Approve, refuse, or approve all: in a question' },
  { keys: 'J, K', does: 'Go to the next or the last change under review' },
];

const directions: Readonly<Record<string, 'up' | 'down' | 'left' | 'right'>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
};

type Keys = Pick<KeyboardEvent, 'key' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

/** Returns what a key press does to a card; null for any other key. */
export function cardAction({ key, altKey, ctrlKey, metaKey }: Keys): CardAction | null {
  if (ctrlKey || metaKey) return null;
  const direction = directions[key];
  if (direction) return altKey ? `move-${direction}` : `focus-${direction}`;
  if (key === 'F2') return 'rename';
  if (key.toLowerCase() === 'e' && !altKey) return 'details';
  if (key === 'Delete' || key === 'Backspace') return 'delete';
  return null;
}

/** Returns `undo` or `redo` if the key undoes or redoes the user's own edits; else null. */
export function historyAction({ key, ctrlKey, metaKey, shiftKey }: Keys): 'undo' | 'redo' | null {
  if (!ctrlKey && !metaKey) return null;
  if (key.toLowerCase() === 'z') return shiftKey ? 'redo' : 'undo';
  return key.toLowerCase() === 'y' ? 'redo' : null;
}
