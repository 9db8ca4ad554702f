import type { ConversationParts } from '../conversation/conversation-parts.js';
import { withInterruptedTurn } from '../conversation/interrupted-turn.js';
import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';
import type { UndoReport } from '../conversation/turn-record.js';
import { openReport } from './open-report.js';
import { foldStateOf, type FoldState, type SessionState } from './session-state.js';
import { allUndo } from './undo-notes.js';

/**
 * Returns the conversation of a session for `save()`. A running turn is saved as an interrupted turn.
 *
 * @param report the report of the running turn as if it ended now. Default: as the state shows it
 */
export function savedConversationOf(
  given: SessionState,
  report: UndoReport | null = openReport(foldStateOf(given)),
): SavedConversation {
  const state = foldStateOf(given);
  const parts = partsIn(state, allUndo(state));
  return saveConversation(withInterruptedTurn(parts, state.lastUsageReport, report));
}

/** Returns the parts of a state that its saved form has. */
export function partsIn(state: FoldState, undo: ConversationParts['undo']): ConversationParts {
  const { aside, marks, redo, prefix } = state.fold;
  return { ...state, aside, undo, marks, redo, prefix };
}
