import type { JsonObject } from '@banister/provider';
import { sameJson } from '@banister/provider/internal/json/same-json';
import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';
import { partsIn } from './saved-conversation-of.js';
import { resumedState } from './resumed-state.js';
import { foldStateOf, type SessionState } from './session-state.js';
import { savedFields, savedNotes, type Noted } from './saved-fields.js';
import { foldedState } from './shown-turns.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the whole state of a session as a saved conversation, for the snapshot of a log: a session that opens the log goes on exactly, also
 * with a running turn, with the queue, the grants and the mode. The field `session` has what cannot be made from the other fields.
 * `readLog` of `@banister/session/log` reads the snapshot.
 *
 * @example
 * const lease = await log.claim('chat-42', 'import', 5_000);
 * await log.snapshot(lease, lease.revision, savedState(session.state));
 */
export function savedState(given: SessionState): SavedConversation {
  const state = foldStateOf(foldedState(given));
  const { fold } = state;
  const undo = Object.fromEntries(fold.undo.map((note) => [note.turnId, note.undo]));
  const parts = partsIn(state, undo);
  const made = foldStateOf(resumedState(parts));
  const noted = fold.undo.map(({ turnId, moves }): Noted => [turnId, moves]);
  return saveConversation(parts, {
    ...differences(state, made, savedFields),
    fold: differences({ ...fold, undo: noted }, { ...made.fold, undo: [] }, savedNotes),
  });
}

/** Returns the fields whose value cannot be made from the saved parts. */
function differences(state: object, made: object, saved: ReadonlySet<string>): JsonObject {
  const fields = Object.entries(state).filter(
    ([name, value]) => name !== 'fold' && !saved.has(name) && !sameJson(value, (made as Fields)[name]),
  );
  return Object.fromEntries(fields) as JsonObject;
}
