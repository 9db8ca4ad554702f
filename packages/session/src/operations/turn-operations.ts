import type {
  ErrorData,
  JsonObject,
  Message,
  ModelIdentity,
  OpaquePart,
  SchemaWarning,
  UsageReport,
} from '@banister/provider';
import type {
  CommittedEffect,
  MessageSource,
  StopReason,
  StructuredOutput,
  TurnOptions,
  UndoItem,
  UndoReport,
} from '../conversation/turn-record.js';
import type { Revisions } from '../conversation/revisions.js';
import type { Budget } from './budget.js';
import type { Moved } from './moved.js';

/** The id, version and summary of a domain of the session. */
export interface DomainNote {
  readonly id: string;
  /** Absent if the domain has none. */
  readonly version?: string;
  /** Absent if the domain has none. */
  readonly summary?: string;
}

/** A turn began. It is the first operation of every turn. */
export interface TurnStarted {
  readonly type: 'turnStarted';
  readonly input: Message;
  /** Where the input comes from; absent if the user wrote it. */
  readonly from?: MessageSource;
  /** The limits of the turn; limits of Infinity are left out. */
  readonly limits: JsonObject;
  readonly provider: { readonly id: string; readonly model: string };
  /** The budget before anything is spent. */
  readonly budget: Budget;
  /** The previous turn in the conversation; null for the first turn. Absent in logs of version 0.1. */
  readonly parentId?: string | null;
  /** The options that were given for this turn; absent if there were none. */
  readonly options?: TurnOptions;
  /** The id of the turn that this turn repeats. */
  readonly retryOf?: string;
  /** Present for a turn of `generate`. */
  readonly structured?: StructuredOutput;
  /** The id of the command that started the turn, see `commandBegan`; absent if this session started the turn itself. */
  readonly command?: string;
  /** The domains with a version or a summary, as the model reads them; absent if there are none. */
  readonly domains?: readonly DomainNote[];
}

/** Messages were appended to the conversation: the user message, or an assistant message with the results of all its calls. */
export interface MessagesAppended {
  readonly type: 'messagesAppended';
  readonly messages: readonly Message[];
}

/** The provider or the session does not honour some parts of tool schemas. */
export interface SchemaWarningsFound {
  readonly type: 'schemaWarnings';
  readonly warnings: readonly SchemaWarning[];
}

/** A context source that threw, or did not answer in time. */
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

/** A round began. */
export interface RoundStarted {
  readonly type: 'roundStarted';
  /** 1-based. */
  readonly round: number;
  readonly budget: Budget;
  /**
   * The share of the model's context window that the request of this round fills. It is the provider's count of the last request, with an
   * estimate of later messages. Before the first count, everything is estimated. null if the window is unknown.
   */
  readonly contextPressure: number | null;
  /** The size of the model's context window in tokens; absent if it is unknown. */
  readonly contextWindow?: number;
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
  /** The id of the provider that signed the block. */
  readonly signedBy?: string;
  /** The model that signed the block, frozen. */
  readonly owner?: ModelIdentity;
}

/** An opaque part, which only its provider can read. */
export interface OpaqueArrived {
  readonly type: 'opaque';
  readonly part: OpaquePart;
}

/** The turn's usage until now, of all rounds and attempts. */
export interface UsageReported {
  readonly type: 'usage';
  readonly report: UsageReport;
  readonly budget: Budget;
}

/** A round was completed: its answer is complete, and each of its calls has a result. */
export interface RoundCompleted {
  readonly type: 'roundCompleted';
  readonly round: number;
  /** Usage of this round. */
  readonly usage: UsageReport | null;
  /** Usage of the turn until now. */
  readonly totalUsage: UsageReport | null;
  /** The number of calls that the model requested, including rejected calls. */
  readonly toolCalls: number;
  readonly budget: Budget;
}

/** A message of the user joined the turn between two rounds. It is appended to the conversation, and is a part of the previous round. */
export interface Steered {
  readonly type: 'steered';
  /** The id that the message had in the queue. */
  readonly id: string;
  readonly message: Message;
  /** The round after which it joined, 1-based. */
  readonly round: number;
}

/**
 * The model of the turn has failed, and the option `onModelFailure` is `wait`: the turn stops as it stands, and is interrupted. Its effects
 * stay until `resume` asks the model again, or `abandon` takes them back.
 */
export interface TurnPutDown {
  readonly type: 'turnPutDown';
  readonly error: ErrorData;
}

/** An interrupted turn runs again: `resume` goes on with it, `abandon` takes it back. */
export interface TurnResumed {
  readonly type: 'turnResumed';
  readonly by: 'resume' | 'abandon';
  /** As in `turnStarted`, for the session that goes on. */
  readonly domains?: readonly DomainNote[];
}

/** A cancel of the turn was requested. It may occur a second time, with the level `abort`. */
export interface CancelRequested {
  readonly type: 'cancelRequested';
  readonly level: 'cancel' | 'abort';
  readonly sideEffects: 'rollback' | 'keep';
}

/** The commit of the turn's effects started. */
export interface CommitStarted {
  readonly type: 'commitStarted';
  /** How the turn ends if the commit succeeds. */
  readonly ending: TurnEnding;
}

/**
 * How a turn with committed effects ends. `cancelled`: a cancel that keeps the effects. `interrupted`: its review was abandoned, and
 * accepted effects stay.
 */
export type TurnEnding =
  | { readonly kind: 'completed' | 'cancelled' | 'interrupted' }
  | { readonly kind: 'stopped'; readonly stop: StopReason };

/** The turn's effects are final. An undo takes them back together. */
export interface Committed {
  readonly type: 'committed';
  readonly effects: readonly CommittedEffect[];
  /** The calls that were still running: they may or may not have taken effect. */
  readonly unknown: readonly UndoItem[];
  /** Whether `undo()` can take at least one effect back. */
  readonly undoable: boolean;
  /** Whether the turn can be redone after an undo. */
  readonly redoable: boolean;
  /** Ids of the domains in which the turn ran calls that may change something. */
  readonly domains: readonly string[];
  /** The revisions of these domains before the turn; absent if the user or the app changed the domain while the turn ran. */
  readonly before: Revisions;
  /** The revisions of these domains after the last call of the turn. */
  readonly after: Revisions;
}

/** The rollback of the turn's effects started. */
export interface RollbackStarted {
  readonly type: 'rollbackStarted';
}

/** The rollback ended; the report lists the effects that it took back. */
export interface RolledBack {
  readonly type: 'rolledBack';
  readonly report: UndoReport;
  /** The revisions before the turn and now, of the domains that only this turn changed. */
  readonly moved: Moved;
}

interface Ending {
  readonly usage: UsageReport | null;
  /** The number of rounds that were started. */
  readonly rounds: number;
  /** The budget at the end of the turn. */
  readonly budget: Budget;
}

/** The turn ended with the model's final answer. */
export interface Completed extends Ending {
  readonly type: 'completed';
  /** The text of the whole turn. */
  readonly text: string;
  /** The messages that the turn appended to the conversation. */
  readonly messages: readonly Message[];
}

/** The turn ended before the model's final answer, and its effects were committed; `stop` holds the reason. */
export interface Stopped extends Ending {
  readonly type: 'stopped';
  readonly stop: StopReason;
  readonly text: string;
  readonly messages: readonly Message[];
}

/** A cancel ended the turn. */
export interface Cancelled extends Ending {
  readonly type: 'cancelled';
  /** null if the effects were kept. After a review, the effects that were taken back, and the effects that could not be taken back. */
  readonly report: UndoReport | null;
}

/** An error ended the turn, and its effects were rolled back. If a review was abandoned, the accepted effects stay. */
export interface Failed extends Ending {
  readonly type: 'failed';
  readonly error: ErrorData;
  /** null for a child turn that ends because the turn above it ends. */
  readonly report: UndoReport | null;
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
  | Steered
  | TurnPutDown
  | TurnResumed
  | CancelRequested
  | CommitStarted
  | Committed
  | RollbackStarted
  | RolledBack
  | Completed
  | Stopped
  | Cancelled
  | Failed;
