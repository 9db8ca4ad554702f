import type { Attachments } from '../conversation/attachment.js';
import type { Compaction } from '../conversation/compaction.js';
import { contextTokens, pressureOf } from '../conversation/context-tokens.js';
import type { Conversation, Message } from '../conversation/message.js';
import type { TurnRecord } from '../conversation/turn-record.js';
import { allTurns, type AsideTurn, type Mark } from '../conversation/turn-tree.js';
import type { TurnUndo } from '../conversation/turn-undo.js';
import { addUsage, totalsOf, type UsageReport } from '../conversation/usage-report.js';
import { branchesOf } from './branches.js';
import { initialState } from './initial-state.js';
import { afterTurn, foldStateOf, sessionStateOf, type SessionState } from './session-state.js';

/** The parts of an earlier session with which a new session begins. */
export interface Resumed {
  /** The number of the last operation. Default 0. */
  readonly sequence?: number;
  readonly conversation?: Conversation;
  readonly turns?: readonly TurnRecord[];
  /** Default: the last turn of `turns`. */
  readonly headTurnId?: string | null;
  readonly aside?: readonly AsideTurn[];
  readonly undo?: Readonly<Record<string, TurnUndo>>;
  /** The turns that can be made again, in the order of their undo. Default: none. */
  readonly redo?: readonly string[];
  readonly marks?: readonly Mark[];
  /** The marks of compactions on the path. */
  readonly compactions?: readonly Compaction[];
  readonly attachments?: Attachments;
  /** The messages before the first turn, if the path was cleared. Default null: it was not cleared. */
  readonly prefix?: readonly Message[] | null;
  /** The context window of the model. Default null: it is unknown. */
  readonly window?: number | null;
}

/** Returns the state of a session that goes on with a conversation, before its first operation. */
export function resumedState(resumed: Resumed): SessionState {
  const { conversation = { messages: [] }, turns = [], aside = [], undo = {}, marks = [] } = resumed;
  const { window = null, prefix = null, compactions = [] } = resumed;
  const last = turns.at(-1);
  const all = allTurns(turns, aside);
  const spent = [...all.map(({ outcome }) => outcome), ...marks].reduce<UsageReport | null>(
    (sum, one) => addUsage(sum, one?.usage ?? null),
    null,
  );
  const state = foldStateOf(initialState());
  return sessionStateOf({
    ...state,
    sequence: resumed.sequence ?? 0,
    turns,
    headTurnId: resumed.headTurnId ?? last?.id ?? null,
    conversation,
    compactions,
    ...afterTurn(last),
    totals: totalsOf(spent),
    contextPressure: window && pressureOf(contextTokens(conversation.messages, compactions), window),
    branches: branchesOf(all),
    attachments: resumed.attachments ?? {},
    fold: {
      ...state.fold,
      aside,
      undo: Object.entries(undo).map(([turnId, effects]) => ({ turnId, undo: effects, moves: 0 })),
      redo: resumed.redo ?? [],
      marks,
      prefix,
      spent,
      context: { ...state.fold.context, window },
    },
  });
}
