import type { SavedConversation, SessionLog, SessionState } from '@banister/session';

// Reads the stored data of earlier releases of this page, in which saved conversations and log snapshots had
// two formats.

/**
 * A conversation without attachments had version 2. Before turns could be redone out of order, it had no
 * field `redo`.
 */
export function inOneForm(saved: SavedConversation): SavedConversation {
  const { redo = [] } = saved as Partial<SavedConversation>;
  return saved.version === 2 ? { ...saved, version: 3, redo } : saved;
}

/**
 * Wraps a log whose snapshots may be states, as earlier releases stored them. The next snapshot of a chat
 * replaces the old format.
 */
export function withEarlierSnapshots(log: SessionLog): SessionLog {
  return {
    ...log,
    async load(id) {
      const loaded = await log.load(id);
      return isState(loaded.snapshot) ? { ...loaded, snapshot: await saved(loaded.snapshot) } : loaded;
    },
  };
}

function isState(snapshot: SavedConversation | SessionState | null): snapshot is SessionState {
  return snapshot !== null && !('version' in snapshot);
}

/** A state was stored without notes that equal the notes of a new session. */
async function saved(state: SessionState): Promise<SavedConversation> {
  // Loaded late, because only a chat of an earlier release needs this code.
  const { initialState, savedState } = await import('./session-states.js');
  const empty = initialState();
  return savedState({
    ...empty,
    ...state,
    fold: { ...(empty.fold as object), ...(state.fold as object) },
  });
}
