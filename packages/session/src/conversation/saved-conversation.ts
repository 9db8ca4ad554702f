import { defined } from '../json/defined.js';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { Attachments } from './attachment.js';
import { attachmentIdsOf, attachmentOf } from './attachment-of.js';
import { divideMessages } from './divide-messages.js';
import type { Message } from './message.js';
import { SAVED_VERSION, VERSION_WITHOUT_ATTACHMENTS } from './saved-version.js';
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

/** A conversation as versioned JSON. Its fields are those of this version; `createAgentSession` opens earlier ones as well. */
export interface SavedConversation {
  readonly version: number;
  /** The number of the last operation. A session that opens the conversation goes on counting. */
  readonly sequence: number;
  /** The turn or mark that the conversation ends with; null for an empty one. */
  readonly head: string | null;
  /** The messages before the first turn. */
  readonly prefix: readonly Message[];
  /** All turns in order of start, those that left the conversation included. */
  readonly turns: readonly SavedTurn[];
  /** The points of the tree that are no turns. */
  readonly marks: readonly Mark[];
  /** The turns that can be redone, in the order of their undo. Absent in a conversation of an earlier release. */
  readonly redo?: readonly string[];
  /** The contents of the attachments that the messages have, each once; absent without any. */
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
  /** Usage of the running turn so far. */
  readonly lastUsageReport: UsageReport | null;
  readonly fold: {
    readonly aside: readonly AsideTurn[];
    readonly undo: Readonly<Record<string, TurnUndo>>;
    readonly marks: readonly Mark[];
    /** See `FoldNotes.redo`; undefined where it is not known. */
    readonly redo: readonly string[] | undefined;
    /** See `FoldNotes.prefix`. */
    readonly prefix: readonly Message[] | null;
  };
}

/**
 * Returns the conversation as JSON. A turn that is still running is saved as one that was interrupted, which can be retried: its
 * record holds the rounds so far, and the effects that stay in the app. That of a `generate` is off the path, as of one that failed.
 *
 * @param report the report of the running turn, as if it ended now; null when no turn runs
 */
export function saveConversation(state: Saveable, report: UndoReport | null): SavedConversation {
  const { sequence, headTurnId, liveTurn, conversation, fold } = state;
  const cut = liveTurn && interruptedTurn(liveTurn, state.lastUsageReport, report);
  const turns = cut === null ? state.turns : [...state.turns, cut];
  const { prefix, ofTurns } = divideMessages(conversation.messages, turns);
  const messages = new Map<TurnRecord, readonly Message[]>(fold.aside.map((one) => [one.turn, one.messages]));
  turns.forEach((turn, index) => messages.set(turn, ofTurns[index]!));
  const all = allTurns(turns, fold.aside);
  // The message of a turn that failed at its beginning is in its record alone.
  const inputs = all.map(({ input }) => input);
  const attachments = attachmentsIn(
    [fold.prefix ?? prefix, ...messages.values(), inputs].flat(),
    state.attachments,
  );
  return defined({
    version: attachments === undefined ? VERSION_WITHOUT_ATTACHMENTS : SAVED_VERSION,
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

/** Returns the contents of the attachments that these messages have; undefined where they have none. */
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
