import type { SavedConversation, SessionLog, SessionState } from '@banister/session';

// Reads what an earlier release of this page stored, when saved conversations and the snapshots of logs had two forms.

/** A conversation without attachments had the version 2. Before a turn could be redone out of order, it had no field `redo`. */
export function inOneForm(saved: SavedConversation): SavedConversation {
  const { redo = [] } = saved as Partial<SavedConversation>;
  return saved.version === 2 ? { ...saved, version: 3, redo } : saved;
}

/** A log whose snapshots may be states, as they were stored before. The next snapshot of a chat replaces them. */
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

/** A state was stored without the notes that are as in a new session. */
async function saved(state: SessionState): Promise<SavedConversation> {
  // Loaded late, because only a chat of an earlier release needs this code before the code of sessions.
  const { initialState, savedState } = await import('./session-states.js');
  const empty = initialState();
  return savedState({
    ...empty,
    ...state,
    fold: { ...(empty.fold as object), ...(state.fold as object) },
  });
}
