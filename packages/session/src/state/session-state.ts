import type {
  AttachedInput,
  Attachments,
  Conversation,
  ErrorData,
  JsonObject,
  JsonValue,
  Message,
  SchemaWarning,
  Totals,
  UsageReport,
} from '@banister/provider';
import type { Compaction } from '../conversation/compaction.js';
import type { AsideTurn, Mark } from '../conversation/turn-tree.js';
import {
  type CommittedEffect,
  type MessageSource,
  type ToolCallView,
  type TurnOptions,
  type TurnOutcome,
  type TurnRecord,
} from '../conversation/turn-record.js';
import { noBudget, type Budget } from '../operations/budget.js';
import type { ConfirmationRequest } from '../consent/confirmation-operations.js';
import type { Grant } from '../consent/consent-operations.js';
import type { ExtensionRequest } from '../extension/extension-operations.js';
import type { ReviewedEffect } from '../review/review-operations.js';
import type { ContextDiagnostic } from '../operations/turn-operations.js';
import type { Branches } from './branches.js';
import type { ContextNote } from './context-note.js';
import type { OwnMove, UndoNote } from './undo-note.js';
import type { JsonParserState } from './partial-json.js';
import type { Phase } from './phase.js';
import type { PendingRetry } from './pending-retry.js';
import type { TurnNotes } from './turn-notes.js';

export type { PendingRetry } from './pending-retry.js';
export type { Phase } from './phase.js';

/**
 * A committed turn in the order of undo. `undo()` takes back the last turn first; `undo({ turnId })` takes back any turn that has no other
 * turn in its way.
 */
export interface UndoTurn {
  readonly turnId: string;
  /** The first 80 characters of the user message. */
  readonly label: string;
  readonly effects: readonly UndoEffect[];
  /**
   * `partly-undone`: an undo left effects of the turn in place, or all of them if none could be taken back. `partly-redone`: a redo made
   * only some of the effects again.
   */
  readonly state: 'done' | 'partly-undone' | 'undone' | 'partly-redone';
  /** Whether at least one effect of the turn can be taken back. */
  readonly undoable: boolean;
  /**
   * Whether every effect of the turn can be made again. For a turn in force of a saved conversation this is known only after its next undo;
   * until then it is true only for the newest turn.
   */
  readonly redoable: boolean;
  /** True if an effect of the turn cannot be taken back. */
  readonly irreversible: boolean;
  /** True if an effect of the turn can no longer be taken back, see {@link UndoReport.lost}. */
  readonly lost: boolean;
  /** Present while the turn is not on the path to the head. */
  readonly offPath?: true;
  /**
   * The nearest turns in the way of its undo, oldest first. They are later turns in force that touched the same parts of the app, and have
   * to be undone first. Each of them may have turns in its own way, which are not listed here. For an undone turn, they are the turns that
   * have to be made again first. Absent if no turn is in the way: `undo({ turnId })` takes back this turn alone.
   */
  readonly inTheWay?: readonly string[];
  /** Present if a branch command was the last to take the turn back. `switchTo` with `follow` makes it again; `redo` does not. */
  readonly by?: 'branch';
  /** The effects of each child turn with effects, in call order; absent for a turn without child turns that have effects. */
  readonly groups?: readonly UndoGroup[];
}

/** The effects of a child turn, and of the child turns inside it: `undo({ turnId, child })` takes them back alone. */
export interface UndoGroup {
  /** The id of the child turn. */
  readonly child: string;
  /** The id of its agent. */
  readonly agent: string;
  /** The first 80 characters of its input. */
  readonly label: string;
  readonly state: 'done' | 'partly-undone' | 'undone';
  /** Whether at least one effect can be taken back. */
  readonly undoable: boolean;
  /**
   * The agents and turns in the way of its undo: agents of the same turn, and the nearest later turns, whose later effects in force touched
   * the same parts. Agents are named by their child turns, and the agent of the turn itself by the turn. For an undone group, they are what
   * has to be made again, or undone, first. Absent if nothing is in the way.
   */
  readonly inTheWay?: readonly string[];
}

/** An effect of a turn in the order of undo. */
export interface UndoEffect extends CommittedEffect {
  /** True if this session can no longer take the effect back, see {@link UndoReport.lost}. */
  readonly lost?: true;
}

/** The whole state of a session: plain JSON, folded from operations. Each field except `fold` is a signal of the session too. */
export interface SessionState {
  /** The number of the last folded operation; 0 before the first. A restored session continues the numbering. */
  readonly sequence: number;
  /** Whether a turn runs. */
  readonly isRunning: boolean;
  readonly phase: Phase;
  /** The next attempt of a failed request, while the turn waits for it; otherwise null. */
  readonly pendingRetry: PendingRetry | null;
  /** The text of all rounds of the running turn; of the last turn while no turn runs. */
  readonly currentText: string;
  /** The thinking of all rounds, of the same turn as `currentText`. */
  readonly currentThinking: string;
  /**
   * The part of the running `generate`'s output that can be parsed; the output of the last turn while no turn runs. null without output,
   * and after a failed `generate`. It never contradicts the final value, but may lack required properties until then.
   */
  readonly partialOutput: JsonObject | null;
  /** The ended turns on the path to the head, oldest first. */
  readonly turns: readonly TurnRecord[];
  /**
   * The turn with which the conversation ends, which may be running; null before the first turn. The next turn follows it. After a `clear`
   * it is the mark of the `clear`.
   */
  readonly headTurnId: string | null;
  /** The running turn; null while none runs. */
  readonly liveTurn: TurnRecord | null;
  /** The messages of the path to the head. */
  readonly conversation: Conversation;
  /**
   * The marks of compactions on the path, oldest first: requests contain less than `conversation`. Marks that were taken back are left out.
   */
  readonly compactions: readonly Compaction[];
  /** Every call of the open round. */
  readonly activeToolCalls: readonly ToolCallView[];
  /** The open confirmations, in call order. */
  readonly pendingConfirmations: readonly ConfirmationRequest[];
  /** The question whether the running turn gets more of a limit, with `onTrip: 'ask'`; null if none is open. */
  readonly pendingExtension: ExtensionRequest | null;
  /** The effects that wait for the user's decision by `accept` or `reject`; null while no turn is under review. */
  readonly pendingReview: PendingReview | null;
  /** Usage of the running turn until now, or of the last turn; null if the provider reported none. */
  readonly lastUsageReport: UsageReport | null;
  /** What is spent and left of each limit of the running turn, or of the last turn. */
  readonly budget: Budget;
  /** Usage and cost of all turns, including the running turn. */
  readonly totals: Totals;
  /**
   * The share of the model's context window that the conversation fills; above 1 if the conversation does not fit. The tokens are counted
   * by the provider, and estimated if it does not count them. null if the window is unknown.
   */
  readonly contextPressure: number | null;
  /** The warnings of the running turn, or of the last turn. */
  readonly lastSchemaWarnings: readonly SchemaWarning[];
  /** The diagnostics of the last reading of the context sources. */
  readonly lastContextDiagnostics: readonly ContextDiagnostic[];
  /** The outcome of the last turn; null before the first turn has ended. */
  readonly lastOutcome: TurnOutcome | null;
  /** The error of the last turn; null if it did not fail, and while a turn runs. */
  readonly lastError: ErrorData | null;
  /** Each turn with siblings, as after `retry`, `regenerate` or `edit`: its position among them, and the ids of all of them. */
  readonly branches: Branches;
  /**
   * Undoable turns in order of time, on the path to the head and off it. Turns that the user undid stay until a new turn starts. Turns that
   * a branch command took back stay.
   */
  readonly undoEntries: readonly UndoTurn[];
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /**
   * The turn, undo or redo that the last owner of the log did not end, or the turn that waits for its model; null if there is none. `resume`
   * and `abandon` end it.
   */
  readonly interrupted: Interruption | null;
  /** The messages that wait for a turn, in the order of their turns. Messages that steer the running turn, or a child turn of it, come first. */
  readonly queue: readonly QueueItem[];
  /** Whether the queue waits for `resumeQueue`; false while it is empty. */
  readonly queuePaused: boolean;
  /**
   * The id of the mode in force. null if the session has no modes, and for a moment at the start of a new session, until the first of the
   * option `modes` is in force.
   */
  readonly mode: string | null;
  /** The approvals that are remembered, oldest first: for the running turn, for the session, and by the store of the option `grants`. */
  readonly grants: readonly Grant[];
  /** The contents of the attached files, by the id with which messages refer to them. */
  readonly attachments: Attachments;
  /** The notes from which the fold goes on. Keep them with the state; their form may change with each release. */
  readonly fold: JsonValue;
}

/** The review of a turn. */
export interface PendingReview {
  readonly turnId: string;
  /** The effects without a decision, in the order of their calls. Empty for a moment before the turn commits. */
  readonly effects: readonly ReviewedEffect[];
}

/** A message that waits for its turn. */
export interface QueueItem {
  readonly id: string;
  readonly input: AttachedInput;
  /** True while the message waits to join the running turn, or one of its child turns. */
  readonly steering: boolean;
  /** The id of the child turn that the message waits to join. Absent if the message does not wait for a child turn. */
  readonly child?: string;
  /** Where the message comes from; absent if the user wrote it. */
  readonly from?: MessageSource;
  /** The options for its turn; absent if none were given. */
  readonly options?: TurnOptions;
}

/** Work that has begun and not ended, and that nothing carries on: the last owner of the log left it, or the model of the turn failed. */
export interface Interruption {
  readonly turnId: string;
  /**
   * The point of the interruption. `round`: between two rounds. `stream`: an answer was open. `batch`: tool calls were being decided or
   * ran. `review`: the user was deciding about its effects. The other values: the end of the turn, an undo or a redo had begun.
   */
  readonly at: 'stream' | 'batch' | 'round' | 'review' | 'commit' | 'rollback' | 'undo' | 'redo';
  /** Ids of the calls that may or may not have acted. */
  readonly unknown: readonly string[];
  /**
   * Present if the model of the turn failed, and the option `onModelFailure` is `wait`: its error. Until `resume` or `abandon` is called,
   * commands that start a turn or move the head reject `interrupted`.
   */
  readonly error?: ErrorData;
}

/** The running undo or redo. */
export interface Undoing {
  readonly direction: 'undo' | 'redo';
  readonly target: string;
  /** Present if the undo or redo was interrupted, and another owner finishes it. */
  readonly isFinished?: true;
  /** Present if the undo or redo is a step of a branch command. */
  readonly branch?: true;
  /** The child turn whose effects it moves; absent if it moves the effects of the whole turn. */
  readonly child?: string;
  /** Present if the app or the user changed a domain of the turn meanwhile. Then the turn cannot be redone. */
  readonly touched?: true;
}

/** The notes of the fold. They are part of the state, so that the fold is a function of state and operation. Views do not need them. */
interface FoldNotes {
  /** null while no turn runs. */
  readonly turn: TurnNotes | null;
  /** The running undo or redo. */
  readonly undoing: Undoing | null;
  /** Whether the requested call was made inside an answer. Then the phase is `streaming` again after its result. */
  readonly innerCall: boolean;
  /** The parser of each open call, by index of the call. */
  readonly parsers: readonly JsonParserState[];
  /** The turns off the path to the head, in order of start. */
  readonly aside: readonly AsideTurn[];
  /** The effects of ended turns, in the order in which the turns ended. */
  readonly undo: readonly UndoNote[];
  /** The changes of revisions that the session itself made, oldest first. */
  readonly moves: readonly OwnMove[];
  /** Whether a turn of `undoEntries` can be undone. `canUndo` has this value while no work runs. */
  readonly undoable: boolean;
  /** Whether `undoEntries` has turns that the next turn closes for redo. */
  readonly undone: boolean;
  /**
   * The ids of the turns that the user undid and that can be redone, in the order of their undo. `redo` makes the last of them again. This
   * session may lack a tool of one of them.
   */
  readonly redo: readonly string[];
  /** The message that has left the queue, and whose turn begins with the next operation; null if there is none. */
  readonly starting: QueueItem | null;
  /**
   * The messages whose ids the app gave, by `#` and the id: the id of the turn that the message started; empty for a message that waits or
   * was removed; null for a message whose turn could not start, so that the id may be given again.
   */
  readonly given: Readonly<Record<string, string | null>>;
  /** The nodes of the tree that are not turns: clears and compactions. */
  readonly marks: readonly Mark[];
  /** The messages before the first turn, while the path begins at a `clear`; null while they are in the conversation. */
  readonly prefix: readonly Message[] | null;
  /** Usage of the ended turns. */
  readonly spent: UsageReport | null;
  readonly context: ContextNote;
  /** The commands of other sessions that an owner of the log has begun: the newest 256, oldest first. */
  readonly begun: readonly BegunNote[];
  /** The hashes of the ids of the 10,000 commands before them, oldest first, each of 8 characters. */
  readonly begunBefore: string;
}

/** A command of another session that an owner of the log has begun. */
export interface BegunNote {
  readonly id: string;
  /** The id of its message in the queue. */
  readonly item?: string;
  /** How the message left the queue, if it has no turn of its own. */
  readonly left?: 'joined' | 'removed' | 'refused';
  /** The id of the turn that it started. */
  readonly turn?: string;
}

/** The state for the fold: {@link SessionState} with the type of the notes, which the public type leaves open. */
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
 * Returns the fields about the last turn, with their values when no turn has run since: before the first turn, after opening, and after the
 * head has moved.
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

/** Returns the calls of the open round, for `activeToolCalls`. If no call has changed, returns the previous list. */
export function activeCallsOf(state: FoldState): readonly ToolCallView[] {
  const before = state.activeToolCalls;
  const calls: ToolCallView[] = [];
  let isSame = true;
  // A loop over the parts, because it runs at each publication of a batch that may have a hundred calls.
  for (const part of (state.fold.turn?.round && state.liveTurn?.rounds.at(-1)?.parts) ?? []) {
    if (part.type === 'tool-call') isSame = before[calls.push(part) - 1] === part && isSame;
  }
  return isSame && calls.length === before.length ? before : calls;
}
