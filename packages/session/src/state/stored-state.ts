import type { ConversationParts } from '../conversation/conversation-parts.js';
import { withInterruptedTurn } from '../conversation/interrupted-turn.js';
import { notSaved, readConversation } from '../conversation/open-conversation.js';
import { saveConversation, type SavedConversation } from '../conversation/saved-conversation.js';
import type { UndoReport } from '../conversation/turn-record.js';
import { deepFreeze, type JsonObject } from '../json/json.js';
import { sameJson } from '../json/same-json.js';
import { Mismatch } from '../json/shape.js';
import { openReport } from './open-report.js';
import { resumedState } from './resumed-state.js';
import { foldStateOf, sessionStateOf, type FoldState, type SessionState } from './session-state.js';
import { foldedState } from './shown-turns.js';
import { allUndo } from './undo-notes.js';

/** The fields of the state, and the notes of its fold, that the fields of a saved conversation have. */
const savedFields = new Set(['sequence', 'headTurnId', 'turns', 'liveTurn', 'conversation', 'attachments']);
const savedNotes = new Set(['aside', 'undo', 'redo', 'marks', 'prefix']);

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the conversation of a session for `save()`. A running turn is saved as an interrupted turn.
 *
 * @param report the report of the running turn as if it ended now. Default: as the state shows it
 */
export function savedConversation(
  given: SessionState,
  report: UndoReport | null = openReport(foldStateOf(given)),
): SavedConversation {
  const state = foldStateOf(given);
  const parts = partsOf(state, allUndo(state));
  return saveConversation(withInterruptedTurn(parts, state.lastUsageReport, report));
}

/**
 * Returns the whole state as a saved conversation, for the snapshot of a log. The field `session` has what cannot be made from the other
 * fields. The public `savedState` calls it; code that is loaded late imports this function.
 */
export function storedState(given: SessionState): SavedConversation {
  const state = foldStateOf(foldedState(given));
  const { fold } = state;
  const undo = Object.fromEntries(fold.undo.map((note) => [note.turnId, note.undo]));
  const parts = partsOf(state, undo);
  const made = foldStateOf(resumedState(parts));
  const noted = notedOf(fold);
  return saveConversation(parts, {
    ...differences(state, made, savedFields),
    fold: differences(fold, made.fold, savedNotes),
    ...(!sameJson(noted, notedOf(made.fold)) && { noted }),
  });
}

/**
 * Reads a saved conversation as a state: the state from which {@link storedState} made it. The state of a conversation without the field
 * `session` has no running turn, no queue and no grants.
 *
 * @throws AgentSessionError as `openConversation` does, except for a running turn
 */
export function stateOfSaved(saved: unknown): SessionState {
  const { parts, session } = readConversation(saved);
  const made = resumedState(parts);
  if (session === undefined) return made;
  const { fold: notes, noted, ...fields } = session;
  const { fold, ...state } = foldStateOf(made);
  return deepFreeze(
    sessionStateOf({
      ...state,
      ...ofSameTypes(fields, state, savedFields, 'session'),
      fold: {
        ...fold,
        ...ofSameTypes(notes as JsonObject, fold, savedNotes, 'session.fold'),
        ...(noted !== undefined && { undo: undoOf(noted as unknown as readonly Noted[], parts) }),
      },
    }),
  );
}

function partsOf(state: FoldState, undo: ConversationParts['undo']): ConversationParts {
  const { aside, marks, redo, prefix } = state.fold;
  return { ...state, aside, undo, marks, redo, prefix };
}

/** The id of a turn with effects, and the number of own moves that its effects include. */
type Noted = readonly [turnId: string, moves: number];

function notedOf({ undo }: FoldState['fold']): readonly Noted[] {
  return undo.map(({ turnId, moves }) => [turnId, moves]);
}

function undoOf(noted: readonly Noted[], { undo }: ConversationParts): FoldState['fold']['undo'] {
  return noted.flatMap(([turnId, moves]) =>
    Object.hasOwn(undo, turnId) ? [{ turnId, undo: undo[turnId]!, moves }] : [],
  );
}

/** Returns the fields whose value cannot be made from the saved parts. */
function differences(state: object, made: object, saved: ReadonlySet<string>): JsonObject {
  const fields = Object.entries(state).filter(
    ([name, value]) => name !== 'fold' && !saved.has(name) && !sameJson(value, (made as Fields)[name]),
  );
  return Object.fromEntries(fields) as JsonObject;
}

/**
 * Returns the fields that are not in `saved`, and checks that their values have the types of the values in `made`.
 *
 * @param at the place of the fields
 */
function ofSameTypes(fields: JsonObject, made: object, saved: ReadonlySet<string>, at: string): JsonObject {
  const others = Object.entries(fields).filter(([name]) => !saved.has(name));
  for (const [name, value] of others) {
    const expected = (made as Fields)[name];
    if (expected === undefined || expected === null || value === null) continue;
    if (typeof value !== typeof expected || Array.isArray(value) !== Array.isArray(expected))
      throw notSaved(new Mismatch(`${at}.${name}`, 'it has another type'));
  }
  return Object.fromEntries(others);
}
