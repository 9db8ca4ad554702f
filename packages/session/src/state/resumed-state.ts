import type { UsageReport } from '@banister/provider';
import { addUsage, totalsOf } from '@banister/provider/internal/messages/usage-report';
import type { ConversationParts } from '../conversation/conversation-parts.js';
import { contextTokens, pressureOf } from '../conversation/context-tokens.js';
import { allTurns } from '../conversation/turn-tree.js';
import { branchesOf } from './branches.js';
import { Draft } from './change.js';
import { initialState } from './initial-state.js';
import { savedEntries } from './restored-undo.js';
import { afterTurn, foldStateOf, sessionStateOf, type SessionState } from './session-state.js';
import { withUndoEntries } from './undo-entries.js';

/** The parts of an earlier session with which a new session begins. */
export interface Resumed extends ConversationParts {
  /** The context window of the model. Default null: it is unknown. */
  readonly window?: number | null;
}

/** Returns the state of a session that goes on with a conversation, before its first operation. */
export function resumedState(resumed: Resumed): SessionState {
  const { sequence, headTurnId, conversation, turns, liveTurn, compactions, attachments } = resumed;
  const { aside, undo, redo, marks, prefix, window = null } = resumed;
  const last = turns.at(-1);
  const all = allTurns(liveTurn === null ? turns : [...turns, liveTurn], aside);
  const spent = [...all.map(({ outcome }) => outcome), ...marks].reduce<UsageReport | null>(
    (sum, one) => addUsage(sum, one?.usage ?? null),
    null,
  );
  const initial = foldStateOf(initialState());
  const state = {
    ...initial,
    sequence,
    turns,
    liveTurn,
    headTurnId,
    conversation,
    compactions,
    ...afterTurn(last),
    totals: totalsOf(spent),
    contextPressure: window && pressureOf(contextTokens(conversation.messages, compactions), window),
    branches: branchesOf(all),
    attachments,
    fold: {
      ...initial.fold,
      aside,
      undo: Object.entries(undo).map(([turnId, effects]) => ({ turnId, undo: effects, moves: 0 })),
      redo,
      marks,
      prefix,
      spent,
      context: { ...initial.fold.context, window },
    },
  };
  const entries = savedEntries(state);
  if (entries.length === 0) return sessionStateOf(state);
  const draft = new Draft(state);
  draft.apply(withUndoEntries(entries));
  return sessionStateOf(draft.takeAll());
}
