import type { Attachments } from '../conversation/attachment.js';
import type { AttachedInput, Conversation, Message } from '../conversation/message.js';
import type { Compaction } from '../conversation/compaction.js';
import type { AsideTurn, Mark } from '../conversation/turn-tree.js';
import {
  callsOf,
  type CommittedEffect,
  type ToolCallView,
  type TurnOptions,
  type TurnOutcome,
  type TurnRecord,
} from '../conversation/turn-record.js';
import type { Totals, UsageReport } from '../conversation/usage-report.js';
import type { ErrorData } from '../errors/agent-session-error.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import { noBudget, type Budget } from '../operations/budget.js';
import type { ConfirmationRequest } from '../operations/confirmation-operations.js';
import type { Grant } from '../operations/consent-operations.js';
import type { ExtensionRequest } from '../operations/extension-operations.js';
import type { ReviewedEffect } from '../operations/review-operations.js';
import type { ContextDiagnostic } from '../operations/turn-operations.js';
import type { SchemaWarning } from '../provider/provider.js';
import type { Branches } from './branches.js';
import type { OwnMove, UndoNote } from './undo-note.js';
import type { JsonParserState } from './partial-json.js';
import type { Phase } from './phase.js';
import type { PendingRetry } from './pending-retry.js';
import type { TurnNotes } from './turn-notes.js';

export type { PendingRetry } from './pending-retry.js';
export type { Phase } from './phase.js';

/** A committed turn in the order of undo: `undo()` takes the last one first, `undo({ turnId })` any in whose way none is. */
export interface UndoTurn {
  readonly turnId: string;
  /** The first 80 characters of the user message. */
  readonly label: string;
  readonly effects: readonly UndoEffect[];
  /** `partly-undone`: an undo left effects of the turn in place, all of them where none could be taken back. `partly-redone`: a redo made only some again. */
  readonly state: 'done' | 'partly-undone' | 'undone' | 'partly-redone';
  /** Whether an effect of the turn can be taken back. */
  readonly undoable: boolean;
  /**
   * Whether each effect of the turn can be made again. For a turn in force of a saved conversation it is known from its next undo on: until
   * then it is true for the newest alone.
   */
  readonly redoable: boolean;
  /** True when an effect of the turn cannot be taken back. */
  readonly irreversible: boolean;
  /** True when an effect of the turn can no longer be taken back, see {@link UndoReport.lost}. */
  readonly lost: boolean;
  /** Present while the turn is not on the path to the head. */
  readonly offPath?: true;
  /**
   * The nearest turns in the way of its undo, oldest first: later ones in force that touched the same parts of the app, and have to be undone
   * first. Each may have others in its own way, which are not listed here. Of a turn that is undone, those that have to be made again before
   * it. Absent where none is in the way: `undo({ turnId })` takes the turn back alone.
   */
  readonly inTheWay?: readonly string[];
  /** Present where a branch command took the turn back last: `switchTo` with `follow` makes it again, `redo` does not. */
  readonly by?: 'branch';
}

/** An effect of a turn in the order of undo. */
export interface UndoEffect extends CommittedEffect {
  /** True when this session can no longer take the effect back, see {@link UndoReport.lost}. */
  readonly lost?: true;
}

/** The whole state of a session: plain JSON, folded from operations. Each field but `fold` is a signal of the session as well. */
export interface SessionState {
  /** The number of the last operation that was folded; 0 before the first. A restored session goes on counting. */
  readonly sequence: number;
  /** Whether a turn runs. */
  readonly isRunning: boolean;
  readonly phase: Phase;
  /** The next attempt of a request that failed, while the turn waits for it; else null. */
  readonly pendingRetry: PendingRetry | null;
  /** The text of the running turn, of all rounds; of the last turn while none runs. */
  readonly currentText: string;
  /** The thinking of the running turn, as `currentText`. */
  readonly currentThinking: string;
  /**
   * The output of the running `generate` as far as its text can be parsed, and of the last one while no turn runs; null where there is none, and
   * after one that failed. It never contradicts the final value, and may lack required properties until then.
   */
  readonly partialOutput: JsonObject | null;
  /** The turns on the path to the head that have ended, oldest first. */
  readonly turns: readonly TurnRecord[];
  /**
   * The turn with which the conversation ends, the running one included; null before the first. The next turn follows it. Where the conversation was
   * cleared, the mark of that.
   */
  readonly headTurnId: string | null;
  /** The running turn; null while none runs. */
  readonly liveTurn: TurnRecord | null;
  /** The messages of the path to the head. */
  readonly conversation: Conversation;
  /**
   * The marks of the path at which it was compacted, oldest first: requests have less than `conversation`. Without those that were taken back.
   */
  readonly compactions: readonly Compaction[];
  /** Every call of the open round. */
  readonly activeToolCalls: readonly ToolCallView[];
  /** The open confirmations, in call order. */
  readonly pendingConfirmations: readonly ConfirmationRequest[];
  /** The question whether the running turn gets more of a limit, with `onTrip: 'ask'`; null while none is open. */
  readonly pendingExtension: ExtensionRequest | null;
  /** The effects that wait for the user's decision, by `accept` or `reject`; null while no turn is reviewed. */
  readonly pendingReview: PendingReview | null;
  /** Usage of the running turn so far, or of the last one; null where the provider reported none. */
  readonly lastUsageReport: UsageReport | null;
  /** Spent and left for each limit of the running turn, or of the last one. */
  readonly budget: Budget;
  /** Usage and money of all turns so far, the running one included. */
  readonly totals: Totals;
  /**
   * The share of the model's context window that the conversation fills; above 1 where it does not fit. As the provider counts the tokens, and
   * estimated where it does not. null where the window is unknown.
   */
  readonly contextPressure: number | null;
  /** Of the running turn, or of the last one. */
  readonly lastSchemaWarnings: readonly SchemaWarning[];
  /** Of the last reading of the context sources. */
  readonly lastContextDiagnostics: readonly ContextDiagnostic[];
  /** The outcome of the last turn; null before the first has ended. */
  readonly lastOutcome: TurnOutcome | null;
  /** The error of the last turn; null when it did not fail, and while a turn runs. */
  readonly lastError: ErrorData | null;
  /** Each turn that stands beside others, as after `retry`, `regenerate` or `edit`: its position, and the ids of all of them. */
  readonly branches: Branches;
  /**
   * Undoable turns in order of time, on the path to the head and off it. Those that the user undid stay until a new turn starts, those that
   * a branch command took back stay.
   */
  readonly undoEntries: readonly UndoTurn[];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** The turn, undo or redo that the last owner of the log did not end; null when there is none. `resume` and `abandon` end it. */
  readonly interrupted: Interruption | null;
  /** The messages that wait for a turn, in the order of their turns; those that steer the running turn come first. */
  readonly queue: readonly QueueItem[];
  /** Whether the queue waits for `resumeQueue`; false while it is empty. */
  readonly queuePaused: boolean;
  /**
   * The id of the mode in force; null where the session has no modes, and for the moment until a new one has decided: then it is the first of the
   * option `modes`.
   */
  readonly mode: string | null;
  /** The approvals that are remembered: those of the running turn, of the session, and those of the option `grants`, oldest first. */
  readonly grants: readonly Grant[];
  /** The contents of the attached files, by the id that messages refer to. */
  readonly attachments: Attachments;
  /** Notes with which the fold goes on. Keep them with the state; their form may change with each release. */
  readonly fold: JsonValue;
}

/** The review of a turn. */
export interface PendingReview {
  readonly turnId: string;
  /** The effects without a decision, in the order of their calls; empty for the moment before the turn commits. */
  readonly effects: readonly ReviewedEffect[];
}

/** A message that waits for its turn. */
export interface QueueItem {
  readonly id: string;
  readonly input: AttachedInput;
  /** True while it waits to join the running turn. */
  readonly steering: boolean;
  /** The options for its turn; absent where none were given. */
  readonly options?: TurnOptions;
}

/** Work that the last owner of the log did not end. */
export interface Interruption {
  readonly turnId: string;
  /**
   * The point of the interruption. `round`: between two rounds. `stream`: an answer was open. `batch`: tool calls were decided or
   * ran. `review`: the user decided about its effects. The others: the end of the turn, an undo or a redo had begun.
   */
  readonly at: 'stream' | 'batch' | 'round' | 'review' | 'commit' | 'rollback' | 'undo' | 'redo';
  /** Ids of the calls that may or may not have acted. */
  readonly unknown: readonly string[];
}

/** The undo or redo that runs. */
export interface Undoing {
  readonly direction: 'undo' | 'redo';
  readonly target: string;
  /** Present where it was interrupted, and another owner finishes it. */
  readonly isFinished?: true;
  /** Present where it is a step of a branch command. */
  readonly branch?: true;
  /** Present where the app or the user changed a domain of the turn meanwhile: it cannot be redone then. */
  readonly touched?: true;
}

/**
 * The notes of the fold. They are part of the state, so that the fold is a function of state and operation; a view has no use for
 * them.
 */
export interface FoldNotes {
  /** null while no turn runs. */
  readonly turn: TurnNotes | null;
  /** The running undo or redo. */
  readonly undoing: Undoing | null;
  /** Whether the requested call is one inside an answer: the phase is `streaming` after its result. */
  readonly innerCall: boolean;
  /** The parser of each open call, by index of the call. */
  readonly parsers: readonly JsonParserState[];
  /** The turns off the path to the head, in order of start. */
  readonly aside: readonly AsideTurn[];
  /** The effects of turns that have ended, in the order of their ends. */
  readonly undo: readonly UndoNote[];
  /** The changes of revisions that the session itself made, oldest first. */
  readonly moves: readonly OwnMove[];
  /** Whether a turn of `undoEntries` can be undone: `canUndo` while nothing runs. */
  readonly undoable: boolean;
  /** Whether `undoEntries` has turns that the next turn closes for redo. */
  readonly undone: boolean;
  /**
   * The turns that the user undid and that can be redone, in the order of their undo: `redo` makes the last one again. This session may lack
   * the tool of one of them.
   */
  readonly redo: readonly string[];
  /** The message that has left the queue, and whose turn begins with the next operation. */
  readonly starting: QueueItem | null;
  /** The points of the tree that are no turns. */
  readonly marks: readonly Mark[];
  /** The messages before the first turn, while the path begins where it was cleared; null while the conversation has them. */
  readonly prefix: readonly Message[] | null;
  /** Usage of the turns that have ended. */
  readonly spent: UsageReport | null;
  readonly context: ContextNote;
}

/** The size of the conversation as far as it was counted. */
export interface ContextNote {
  /** The context window of the model in tokens; null where it is unknown. */
  readonly window: number | null;
  /** The tokens of the last request and of its answer. */
  readonly tokens: number;
  /** The id of the last message of that request; null while there was none. */
  readonly after: string | null;
}

/** The state as the fold reads it: {@link SessionState} with the type of the notes, which the public type leaves open. */
export interface FoldState extends Omit<SessionState, 'fold'> {
  readonly fold: FoldNotes;
}

/** Returns the same state with the type of its notes. */
export function foldStateOf(state: SessionState): FoldState {
  return state as Omit<SessionState, 'fold'> as FoldState;
}

/** Returns the same state without the type of its notes. */
export function sessionStateOf(state: FoldState): SessionState {
  return state as Omit<SessionState, 'fold'> as SessionState;
}

/**
 * Returns the fields that concern the last turn, as they are when none has run since: before the first turn, after opening, and after
 * the head has moved.
 */
export function afterTurn(last: TurnRecord | undefined) {
  const outcome = last?.outcome ?? null;
  return {
    currentText: '',
    currentThinking: '',
    partialOutput: null,
    lastUsageReport: outcome?.usage ?? null,
    budget: noBudget,
    lastSchemaWarnings: [],
    lastContextDiagnostics: [],
    lastOutcome: outcome,
    lastError: outcome?.error ?? null,
  } satisfies Partial<SessionState>;
}

/** Returns the calls of the open round, for `activeToolCalls`: the list from before when no call changed. */
export function activeCallsOf(state: FoldState): readonly ToolCallView[] {
  const calls = state.fold.turn?.round ? callsOf(state.liveTurn?.rounds.at(-1)) : [];
  const before = state.activeToolCalls;
  const same = calls.length === before.length && calls.every((call, index) => call === before[index]);
  return same ? before : calls;
}
