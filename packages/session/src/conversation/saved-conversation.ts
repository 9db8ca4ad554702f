import { defined } from '../json/defined.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Attachments } from './attachment.js';
import { attachmentIdsOf, attachmentOf } from './attachment-of.js';
import { divideMessages } from './divide-messages.js';
import type { Message } from './message.js';
import { SAVED_VERSION } from './saved-version.js';
import { saveTurn, type SavedTurn } from './saved-turn.js';
import {
  isSetAside,
  nothingUndone,
  type TurnOutcome,
  type TurnRecord,
  type UndoReport,
} from './turn-record.js';
import { allTurns, type AsideTurn, type Mark } from './turn-tree.js';
import type { TurnUndo } from './turn-undo.js';
import type { UsageReport } from './usage-report.js';

/** A conversation as versioned JSON. */
export interface SavedConversation {
  readonly version: number;
  /** The number of the last operation. A session that opens the conversation continues the numbering. */
  readonly sequence: number;
  /** The turn or mark with which the conversation ends; null for an empty conversation. */
  readonly head: string | null;
  /** The messages before the first turn. */
  readonly prefix: readonly Message[];
  /** All turns in order of start, including turns that left the conversation. */
  readonly turns: readonly SavedTurn[];
  /** The nodes of the tree that are not turns: clears and compactions. */
  readonly marks: readonly Mark[];
  /** The turns that can be redone, in the order of their undo. */
  readonly redo: readonly string[];
  /** The contents of the attachments in the messages, without duplicates; absent if there are none. */
  readonly attachments?: Attachments;
}

/** The parts of a session that are saved. */
export interface Saveable {
  readonly sequence: number;
  readonly headTurnId: string | null;
  readonly conversation: { readonly messages: readonly Message[] };
  readonly turns: readonly TurnRecord[];
  readonly liveTurn: TurnRecord | null;
  readonly attachments: Attachments;
  /** Usage of the running turn until now. */
  readonly lastUsageReport: UsageReport | null;
  readonly fold: {
    readonly aside: readonly AsideTurn[];
    readonly undo: Readonly<Record<string, TurnUndo>>;
    readonly marks: readonly Mark[];
    /** See `FoldNotes.redo`. */
    readonly redo: readonly string[];
    /** See `FoldNotes.prefix`. */
    readonly prefix: readonly Message[] | null;
  };
}

/**
 * Returns the conversation as JSON. A running turn is saved as an interrupted turn, which can be retried: its record has the rounds until
 * now, and the effects that stay in the app. A running `generate` is saved off the path, like a failed one.
 *
 * @param report the report of the running turn as if it ended now; null if no turn runs
 */
export function saveConversation(state: Saveable, report: UndoReport | null): SavedConversation {
  const { sequence, headTurnId, liveTurn, conversation, fold } = state;
  const cut = liveTurn && interruptedTurn(liveTurn, state.lastUsageReport, report);
  const turns = cut === null ? state.turns : [...state.turns, cut];
  const { prefix, ofTurns } = divideMessages(conversation.messages, turns);
  const messages = new Map<TurnRecord, readonly Message[]>(fold.aside.map((one) => [one.turn, one.messages]));
  turns.forEach((turn, index) => messages.set(turn, ofTurns[index]!));
  const all = allTurns(turns, fold.aside);
  // If a turn failed at its start, only its record has its message.
  const inputs = all.map(({ input }) => input);
  const attachments = attachmentsIn(
    [fold.prefix ?? prefix, ...messages.values(), inputs].flat(),
    state.attachments,
  );
  return defined({
    version: SAVED_VERSION,
    sequence,
    head: cut !== null && isSetAside(cut) ? cut.parentId : headTurnId,
    prefix: fold.prefix ?? prefix,
    turns: all.map((turn) =>
      saveTurn(turn, messages.get(turn)!, Object.hasOwn(fold.undo, turn.id) ? fold.undo[turn.id] : undefined),
    ),
    marks: fold.marks,
    redo: fold.redo,
    attachments,
  });
}

/** Returns the contents of the attachments in these messages; undefined if there are none. */
function attachmentsIn(messages: readonly Message[], all: Attachments): Attachments | undefined {
  const ids = messages.flatMap(attachmentIdsOf);
  if (ids.length === 0) return undefined;
  return Object.fromEntries(
    ids.flatMap((id) => {
      const content = attachmentOf(all, id);
      return content === undefined ? [] : [[id, content]];
    }),
  );
}

function interruptedTurn(
  record: TurnRecord,
  usage: UsageReport | null,
  report: UndoReport | null,
): TurnRecord {
  const error = new AgentSessionError('interrupted', 'The page was left while this turn was running.', {
    details: { reason: 'page-left' },
  }).toJSON();
  const outcome: TurnOutcome = {
    status: 'failed',
    usage,
    rounds: record.rounds.length,
    error,
    report: report ?? nothingUndone,
  };
  return { ...record, status: 'failed', outcome };
}
