import { isComposingKey } from '../session/composing-key.js';
import type { Chat } from '../session/chat.js';
import { detailsMenu } from './details-menu.js';
import { showCard } from './show-card.js';

/**
 * The keys that act on the whole page: Escape closes the menu of the grip, or else stops the turn; Ctrl or ⌘
 * with Z undoes the newest change, and with Shift and Z redoes it; J and K move through the changes under
 * review. While a text field, a list of options or a dialog has the focus, keys belong to it.
 *
 * @param place the element that contains the chat
 * @returns the function that ends it
 */
export function gripKeys(place: HTMLElement, { grip, review }: Pick<Chat, 'grip' | 'review'>): () => void {
  const walk = (step: 1 | -1): boolean => {
    const open = review.open.peek();
    if (open === null) return false;
    const rows = open.flatMap((change) => {
      const row = place.querySelector<HTMLElement>(`[data-review="${CSS.escape(change.toolCallId)}"]`);
      return row ? [{ change, row }] : [];
    });
    const at = rows.findIndex(({ row }) => row.contains(document.activeElement));
    const next = rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step];
    if (!next) return rows.length > 0;
    next.row.querySelector<HTMLElement>('[data-focus^="keep:"]')?.focus();
    next.row.scrollIntoView({ block: 'nearest' });
    const [card] = next.change.cardIds;
    if (card !== undefined) showCard(card);
    return true;
  };

  const menu = detailsMenu(place, '.grip-menu');

  const act = (event: KeyboardEvent): boolean => {
    const { key, ctrlKey, metaKey, altKey, shiftKey, repeat } = event;
    if (altKey) return false;
    if (ctrlKey || metaKey) {
      if (key.toLowerCase() === 'z') return shiftKey ? grip.redo() : grip.undo();
      return key.toLowerCase() === 'y' && !shiftKey && grip.redo();
    }
    if (shiftKey) return false;
    // A held key stops the turn only once; its repeats do not force the end.
    if (key === 'Escape') return !repeat && (menu.close() || grip.stop());
    if (key === 'j' || key === 'k') return walk(key === 'j' ? 1 : -1);
    return false;
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || isComposingKey(event) || belongsToField(event)) return;
    if (act(event)) event.preventDefault();
  };
  // The board has keys for the user's own edits. The keys of the grip reach the same edits, and the agent's
  // turns.
  const onUndoKey = (event: KeyboardEvent): void => {
    const isUndo = (event.ctrlKey || event.metaKey) && ['z', 'y'].includes(event.key.toLowerCase());
    if (!isUndo || isComposingKey(event) || belongsToField(event)) return;
    if (!act(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener('keydown', onUndoKey, { capture: true });
  addEventListener('keydown', onKeyDown);
  return () => {
    removeEventListener('keydown', onUndoKey, { capture: true });
    removeEventListener('keydown', onKeyDown);
    menu.stop();
  };
}

/** Escape also stops in the message field, because that has no other use for it. */
function belongsToField({ target, key }: KeyboardEvent): boolean {
  if (!(target instanceof Element)) return false;
  if (key === 'Escape' && target.matches('[data-focus="message"]')) return false;
  return (
    target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"], dialog') !==
    null
  );
}
