import { isComposingKey } from './composing-key.js';

/** What a key does in a text field that sends. */
export type ComposerKey = 'send' | 'steer' | 'edit-last' | 'cancel';

/** The part of a keyboard event that matters. */
type Press = Pick<
  KeyboardEvent,
  'key' | 'shiftKey' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'keyCode' | 'repeat'
>;

/**
 * Returns the meaning of a key; `held` for a repeated Enter, which was pressed on another element and is
 * handled there; null for a key that belongs to the field. While an input method composes a word, all keys
 * belong to the field.
 */
export function composerKey(event: Press): ComposerKey | 'held' | null {
  if (isComposingKey(event) || event.shiftKey || event.altKey) return null;
  if (event.key === 'Enter') {
    if (event.repeat) return 'held';
    return event.ctrlKey || event.metaKey ? 'steer' : 'send';
  }
  if (event.ctrlKey || event.metaKey) return null;
  if (event.key === 'ArrowUp') return 'edit-last';
  return event.key === 'Escape' ? 'cancel' : null;
}
