import { AgentSessionError } from '../errors/agent-session-error.js';
import { divideMessages } from './divide-messages.js';
import type { Message } from './message.js';
import { saveTurn, type SavedTurn } from './saved-turn.js';
import { nothingUndone, type TurnOutcome, type TurnRecord, type UndoReport } from './turn-record.js';
import { allTurns, type AsideTurn, type Mark } from './turn-tree.js';
import type { TurnUndo } from './turn-undo.js';

/** The version of the format that this release writes. It opens every version that was released before. */
export const SAVED_VERSION = 2;

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
}

/** The parts of a session that are saved. */
export interface Saveable {
  readonly sequence: number;
  readonly headTurnId: string | null;
  readonly conversation: { readonly messages: readonly Message[] };
  readonly turns: readonly TurnRecord[];
  readonly liveTurn: TurnRecord | null;
  readonly fold: {
    readonly aside: readonly AsideTurn[];
    readonly undo: Readonly<Record<string, TurnUndo>>;
    readonly marks: readonly Mark[];
  };
}

/**
 * Returns the conversation as JSON. A turn that is still running is saved as one that was interrupted, which can be retried: its
 * record holds the rounds so far, and the effects that stay in the app.
 *
 * @param report the report of the running turn, as if it ended now; null when no turn runs
 */
export function saveConversation(state: Saveable, report: UndoReport | null): SavedConversation {
  const { sequence, headTurnId, liveTurn, conversation, fold } = state;
  const turns = liveTurn === null ? state.turns : [...state.turns, interruptedTurn(liveTurn, report)];
  const { prefix, ofTurns } = divideMessages(conversation.messages, turns);
  const messages = new Map<TurnRecord, readonly Message[]>(fold.aside.map((one) => [one.turn, one.messages]));
  turns.forEach((turn, index) => messages.set(turn, ofTurns[index]!));
  return {
    version: SAVED_VERSION,
    sequence,
    head: headTurnId,
    prefix,
    turns: allTurns(turns, fold.aside).map((turn) =>
      saveTurn(turn, messages.get(turn)!, Object.hasOwn(fold.undo, turn.id) ? fold.undo[turn.id] : undefined),
    ),
    marks: fold.marks,
  };
}

function interruptedTurn(record: TurnRecord, report: UndoReport | null): TurnRecord {
  const error = new AgentSessionError(
    'interrupted',
    'The page was left while this turn was running.',
  ).toJSON();
  const outcome: TurnOutcome = {
    status: 'failed',
    usage: null,
    rounds: record.rounds.length,
    error,
    report: report ?? nothingUndone,
  };
  return { ...record, status: 'failed', outcome };
}
