import type { SavedConversation } from '../conversation/saved-conversation.js';
import type { SessionState } from '../state/session-state.js';
import { storedState } from '../state/stored-state.js';

/**
 * Returns the whole state of a session as a saved conversation, for the snapshot of a log: a session that opens the log goes on exactly, also
 * with a running turn, with the queue, the grants and the mode. {@link readLog} reads it.
 *
 * @example
 * const lease = await log.claim('chat-42', 'import', 5_000);
 * await log.snapshot(lease, lease.revision, savedState(session.state));
 */
export function savedState(state: SessionState): SavedConversation {
  return storedState(state);
}
