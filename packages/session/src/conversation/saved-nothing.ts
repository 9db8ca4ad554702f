import type { SavedConversation } from './saved-conversation.js';
import { SAVED_VERSION } from './saved-version.js';

/**
 * Returns the saved conversation of a session without a message. It is in a file of its own, because a page can save before the code of
 * sessions is loaded.
 */
export function savedNothing(): SavedConversation {
  return {
    version: SAVED_VERSION,
    sequence: 0,
    head: null,
    prefix: [],
    turns: [],
    marks: [],
    redo: [],
  };
}
