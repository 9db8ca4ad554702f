import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';
import type { UndoReport } from '../conversation/turn-record.js';
import { openReport } from '../state/open-report.js';
import { foldStateOf, type SessionState } from '../state/session-state.js';
import { allUndo } from '../state/undo-notes.js';

/**
 * Returns what `save` returns for a state.
 *
 * @param report the report of the running turn as if it ended now; null, and absent, if no turn runs in this session
 */
export function savedState(current: SessionState, report?: UndoReport | null): SavedConversation {
  const state = foldStateOf(current);
  const fold = { ...state.fold, undo: allUndo(state) };
  return saveConversation({ ...state, fold }, report ?? openReport(state));
}
