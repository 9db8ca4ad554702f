import type { JsonObject } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { deepFreeze } from '@banister/provider/internal/json/json';
import type { ConversationParts } from '../conversation/conversation-parts.js';
import type { ReadConversation } from '../conversation/open-conversation.js';
import { resumedState } from './resumed-state.js';
import { savedFields, savedNotes, type Noted } from './saved-fields.js';
import { foldStateOf, sessionStateOf, type SessionState } from './session-state.js';
import type { UndoNote } from './undo-note.js';

/**
 * Returns the state from which {@link savedState} made a saved conversation. The state of a conversation without the field `session` has no
 * running turn, no queue and no grants.
 *
 * @throws AgentSessionError `invalid-configuration`, with the place of the fault, if a value in `session` has the wrong type
 */
export function stateOf({ parts, session }: ReadConversation): SessionState {
  const made = resumedState(parts);
  if (session === undefined) return made;
  const { fold: notes, ...fields } = session;
  const { fold, ...state } = foldStateOf(made);
  const { undo, ...others } = ofSameTypes(notes as JsonObject, fold, savedNotes, 'session.fold');
  return deepFreeze(
    sessionStateOf({
      ...state,
      ...ofSameTypes(fields, state, savedFields, 'session'),
      fold: {
        ...fold,
        ...others,
        ...(undo && { undo: notesOf(undo as unknown as readonly Noted[], parts) }),
      },
    }),
  );
}

function notesOf(noted: readonly Noted[], { undo }: ConversationParts): readonly UndoNote[] {
  return noted.flatMap(([turnId, moves]) =>
    Object.hasOwn(undo, turnId) ? [{ turnId, undo: undo[turnId]!, moves }] : [],
  );
}

/**
 * Returns the fields that are not in `saved`, and checks that their values have the types of the values in `made`.
 *
 * @param at the place of the fields
 */
function ofSameTypes(fields: JsonObject, made: object, saved: ReadonlySet<string>, at: string): JsonObject {
  // A field that this release does not know has no signal.
  const others = Object.entries(fields).filter(([name]) => !saved.has(name) && Object.hasOwn(made, name));
  for (const [name, value] of others) {
    const expected = (made as Readonly<Record<string, unknown>>)[name];
    if (expected === undefined || expected === null || value === null) continue;
    if (typeof value !== typeof expected || Array.isArray(value) !== Array.isArray(expected))
      throw new AgentSessionError(
        'invalid-configuration',
        `This is no saved conversation: ${at}.${name}: it has another type.`,
        { details: { at: `${at}.${name}` } },
      );
  }
  return Object.fromEntries(others);
}
