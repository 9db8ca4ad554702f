import type { OpaquePart } from '../conversation/content.js';
import type { Message } from '../conversation/message.js';
import type { StopReason, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { ErrorData } from '../errors/agent-session-error.js';
import type { JsonObject } from '../json/json.js';
import type { SchemaWarning } from '../provider/provider.js';
import type { Budget } from './budget.js';

/** A turn began. First of every turn. */
export interface TurnStarted {
  readonly type: 'turnStarted';
  readonly input: Message;
  /** The limits in force; unlimited ones are left out. */
  readonly limits: JsonObject;
  readonly provider: { readonly id: string; readonly model: string };
  /** The budget before anything is spent. */
  readonly budget: Budget;
  /** The turn that this one repeats. */
  readonly retryOf?: string;
}

/** A whole exchange joined the conversation: the user message, or an assistant message with all its results. */
export interface MessagesAppended {
  readonly type: 'messagesAppended';
  readonly messages: readonly Message[];
}

/** Tool schemas that somebody will not honour in full. */
export interface SchemaWarningsFound {
  readonly type: 'schemaWarnings';
  readonly warnings: readonly SchemaWarning[];
}

/** A context source that failed or was too slow. */
export interface ContextDiagnostic {
  /** Id of the source. */
  readonly source: string;
  readonly message: string;
}

/** The context sources were read for the next request. */
export interface ContextRefreshed {
  readonly type: 'contextRefreshed';
  readonly diagnostics: readonly ContextDiagnostic[];
}

/** A provider round trip began. */
export interface RoundStarted {
  readonly type: 'roundStarted';
  /** 1-based. */
  readonly round: number;
  readonly budget: Budget;
  /** Share of the model's context window that the last request filled, 0 to 1; null where it is unknown. */
  readonly contextPressure: number | null;
}

/** A piece of visible text. */
export interface TextArrived {
  readonly type: 'text';
  readonly delta: string;
}

/** A piece of reasoning; a signature closes the block. */
export interface ThinkingArrived {
  readonly type: 'thinking';
  readonly delta: string;
  readonly signature?: string;
  /** The id of the provider that signed it. */
  readonly signedBy?: string;
}

/** A part that only its provider understands. */
export interface OpaqueArrived {
  readonly type: 'opaque';
  readonly part: OpaquePart;
}

/** The turn's usage so far, all rounds and attempts together. */
export interface UsageReported {
  readonly type: 'usage';
  readonly report: UsageReport;
  readonly budget: Budget;
}

/** A round ended whole. */
export interface RoundCompleted {
  readonly type: 'roundCompleted';
  readonly round: number;
  /** Usage of this round. */
  readonly usage: UsageReport | null;
  /** Usage of the turn so far. */
  readonly totalUsage: UsageReport | null;
  /** Calls that the model asked for, rejected ones included. */
  readonly toolCalls: number;
  readonly budget: Budget;
}

/** Somebody asked the turn to end. May occur a second time, as abort. */
export interface CancelRequested {
  readonly type: 'cancelRequested';
  readonly level: 'cancel' | 'abort';
  readonly sideEffects: 'rollback' | 'keep';
}

/** The turn's effects are being made final. */
export interface CommitStarted {
  readonly type: 'commitStarted';
}

/** The turn's effects are final, and can be undone as one. */
export interface Committed {
  readonly type: 'committed';
  readonly effects: readonly (UndoItem & { readonly irreversible: boolean })[];
  /** Calls that were still running: they may or may not have taken effect. */
  readonly unknown: readonly UndoItem[];
  /** Whether `undo()` can take something back. */
  readonly undoable: boolean;
  readonly redoable: boolean;
}

/** The turn's effects are being taken back. */
export interface RollbackStarted {
  readonly type: 'rollbackStarted';
}

/** The turn's effects were taken back, as far as the report says. */
export interface RolledBack {
  readonly type: 'rolledBack';
  readonly report: UndoReport;
}

interface Ending {
  readonly usage: UsageReport | null;
  readonly rounds: number;
  /** At the end of the turn. */
  readonly budget: Budget;
}

/** The model was done. */
export interface Completed extends Ending {
  readonly type: 'completed';
  readonly text: string;
  /** What the turn appended to the conversation. */
  readonly messages: readonly Message[];
}

/** The turn ended before the model was done, and keeps what it did. */
export interface Stopped extends Ending {
  readonly type: 'stopped';
  readonly stop: StopReason;
  readonly text: string;
  readonly messages: readonly Message[];
}

/** The user ended the turn. */
export interface Cancelled extends Ending {
  readonly type: 'cancelled';
  /** null when the effects were kept. */
  readonly report: UndoReport | null;
}

/** Something ended the turn. */
export interface Failed extends Ending {
  readonly type: 'failed';
  readonly error: ErrorData;
  readonly report: UndoReport;
}

export type TurnOperation =
  | TurnStarted
  | MessagesAppended
  | SchemaWarningsFound
  | ContextRefreshed
  | RoundStarted
  | TextArrived
  | ThinkingArrived
  | OpaqueArrived
  | UsageReported
  | RoundCompleted
  | CancelRequested
  | CommitStarted
  | Committed
  | RollbackStarted
  | RolledBack
  | Completed
  | Stopped
  | Cancelled
  | Failed;
