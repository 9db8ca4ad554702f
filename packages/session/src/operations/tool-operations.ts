import type { JsonObject, JsonValue, ToolResult, ToolResultOutcome } from '@banister/provider';
import type { RejectionReason } from '../conversation/turn-record.js';
import type { Budget } from './budget.js';
import type { Moved } from './moved.js';

/** A piece of a call's arguments arrived. The state holds the call with all its pieces. */
export interface ToolCallPartial {
  readonly type: 'toolCallPartial';
  readonly callId: string;
  readonly providerCallId?: string;
  /** `domain.tool` */
  readonly tool: string;
  /** The title of its tool, in the first piece of a call; absent if the tool has none. */
  readonly title?: string;
  /** See `ToolCallView.hosted`. */
  readonly hosted?: true;
  /** 0-based position among the calls of the round. */
  readonly index: number;
  readonly delta: string;
}

/** A call as the model requested it. */
export interface RequestedCall {
  readonly callId: string;
  readonly providerCallId?: string;
  readonly tool: string;
  /** See `ToolCallView.hosted`. */
  readonly hosted?: true;
  readonly argumentsText: string;
  /** null if the text is not an acceptable JSON object. */
  readonly arguments: JsonObject | null;
}

/**
 * The calls at the end of an answer, before any of them was decided. Or the single call inside an answer, for whose result the model waits.
 */
export interface ToolsRequested {
  readonly type: 'toolsRequested';
  readonly calls: readonly RequestedCall[];
  /** True for a call inside an answer: the answer continues after the call has its result. */
  readonly inner?: true;
}

/** A guard returned its verdict about a call. */
export interface GuardDecided {
  readonly type: 'guardDecided';
  readonly callId: string;
  readonly guard: string;
  readonly verdict: 'allow' | 'confirm' | 'deny';
  readonly reason?: string;
  /** The id of the grant that allows the call, about which this guard would ask. */
  readonly grant?: string;
}

/** A call that never ran, why it did not, and the result that the model reads. */
export interface RejectedCall {
  readonly callId: string;
  readonly reason: RejectionReason;
  readonly result: ToolResult;
}

/** Calls were rejected: their executors are never called. It may occur more than once in a round. */
export interface ToolsRejected {
  readonly type: 'toolsRejected';
  readonly calls: readonly RejectedCall[];
}

/** The executor of a call is called. */
export interface ToolStarted {
  readonly type: 'toolStarted';
  readonly callId: string;
  readonly tool: string;
  /** The arguments of the call, including edits. */
  readonly arguments: JsonObject;
  /** True if the user edited the arguments. */
  readonly edited: boolean;
  /** The name of the middleware that replaced the model's arguments; absent if none did. */
  readonly replacedBy?: string;
  /** Present for a `readOnly` tool, whose call has no effect. */
  readonly readOnly?: true;
  /** The revision of the tool's domain when the executor is called; absent if the domain has none. */
  readonly revision?: string | number;
  /** The budget, including this start. */
  readonly budget: Budget;
}

/** A tool reported progress. Objects are merged field by field; any other value replaces the previous value. */
export interface ToolProgress {
  readonly type: 'toolProgress';
  readonly callId: string;
  readonly patch: JsonValue;
}

/**
 * A tool recorded an effect with `context.undo` or `context.irreversible`. A mutating call that recorded no effect gets one operation too,
 * immediately before its end. Its description is the title of the tool, or its id if there is no title.
 */
export interface EffectRecorded {
  readonly type: 'effectRecorded';
  readonly callId: string;
  /** 1-based position among the effects of the call. */
  readonly step: number;
  /** The effect as a sentence for the user. */
  readonly description: string;
  /** The data with which the tool's `undo` takes the effect back; absent if the tool gave closures, or nothing. */
  readonly data?: JsonValue;
  /** The parts of the domain that the effect touches; absent if the tool named none. */
  readonly paths?: readonly string[];
  /** The changed value before and after, for a review; each is absent if the tool gave none, or a value that is too long. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
  readonly irreversible: boolean;
}

/** An attempt to take an effect back, or to make it again, has ended. */
export interface EffectMoved {
  readonly type: 'effectReverted' | 'effectReapplied';
  readonly callId: string;
  readonly step: number;
  /** The effect changed only with `success`. */
  readonly outcome: StepOutcome;
  /** The new data with which the effect is moved from now on; absent if the data has not changed. */
  readonly data?: JsonValue;
  /**
   * The revisions that an attempt changed, if it exceeded its time limit, and ended after the undo, the redo or the turn to which it
   * belonged.
   */
  readonly moved?: Moved;
}

/** How an attempt to take an effect back, or to make it again, ended. */
export type StepOutcome = 'success' | 'failed' | 'denied' | 'conflict' | 'thrown' | 'timed-out';

/**
 * Places changed while a call ran, and the tool cannot tell whether it or the user changed them. These changes are not an effect of the
 * call, and are never taken back.
 */
export interface ChangesUnattributed {
  readonly type: 'changesUnattributed';
  readonly callId: string;
  /** The places that changed since the last such operation of the call, such as `cards/42/title`. */
  readonly paths: readonly string[];
}

/** A tool did its work. */
export interface ToolCompleted {
  readonly type: 'toolCompleted';
  readonly callId: string;
  readonly outcome: Extract<ToolResultOutcome, 'success' | 'stop'>;
  readonly result: ToolResult;
  /** The revision of the domain when the executor had returned; absent for a `readOnly` tool, or a domain without revisions. */
  readonly revision?: string | number;
  readonly budget: Budget;
}

/** A tool was called and did not do its work, or its result cannot be used. */
export interface ToolFailed {
  readonly type: 'toolFailed';
  readonly callId: string;
  readonly outcome: Extract<
    ToolResultOutcome,
    'failed' | 'denied' | 'conflict' | 'thrown' | 'timed-out' | 'unusable'
  >;
  readonly result: ToolResult;
  /** As in `toolCompleted`; absent for an aborted call. */
  readonly revision?: string | number;
  readonly budget: Budget;
}

/**
 * The decision about an interrupted call: it was waiting for the journal, or was running when its session ended.
 *
 * - `not-started`: its executor was not called.
 * - `unknown`: its executor was called, and may or may not have acted; the model reads that.
 * - `rerun`: its executor is called again, with the same idempotency key; a `toolStarted` follows.
 * - `skipped`: its executor was called, and the user decided not to call it again.
 */
export interface ToolInterrupted {
  readonly type: 'toolInterrupted';
  readonly callId: string;
  readonly decision: 'not-started' | 'unknown' | 'rerun' | 'skipped';
  /** The result that the model reads; absent if the executor is called again. */
  readonly result?: ToolResult;
}

export type ToolOperation =
  | ToolCallPartial
  | ToolsRequested
  | GuardDecided
  | ToolsRejected
  | ToolStarted
  | ToolProgress
  | EffectRecorded
  | EffectMoved
  | ChangesUnattributed
  | ToolCompleted
  | ToolFailed
  | ToolInterrupted;
