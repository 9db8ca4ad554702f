import type { ToolResult, ToolResultOutcome } from '../conversation/content.js';
import type { RejectionReason } from '../conversation/turn-record.js';
import type { JsonObject, JsonValue } from '../json/json.js';
import type { Budget } from './budget.js';

/** A piece of a call's arguments, as it arrives. The accumulated view is state. */
export interface ToolCallPartial {
  readonly type: 'toolCallPartial';
  readonly callId: string;
  readonly providerCallId?: string;
  /** `domain.tool` */
  readonly tool: string;
  /** 0-based position among the calls of the round. */
  readonly index: number;
  readonly delta: string;
}

/** A call as the model asked for it. */
export interface RequestedCall {
  readonly callId: string;
  readonly providerCallId?: string;
  readonly tool: string;
  readonly argumentsText: string;
  /** null when the text is no acceptable JSON object. */
  readonly arguments: JsonObject | null;
}

/** All calls with which an answer ends, before anything was decided; or one that the model waits for while it answers. */
export interface ToolsRequested {
  readonly type: 'toolsRequested';
  readonly calls: readonly RequestedCall[];
  /** The model made this one call inside its own session: its answer goes on when the call has its result. */
  readonly inner?: true;
}

/** A guard spoke. */
export interface GuardDecided {
  readonly type: 'guardDecided';
  readonly callId: string;
  readonly guard: string;
  readonly verdict: 'allow' | 'confirm' | 'deny';
  readonly reason?: string;
}

/** A call that never ran, and what the model is told. */
export interface RejectedCall {
  readonly callId: string;
  readonly reason: RejectionReason;
  readonly result: ToolResult;
}

/** Calls whose executor was never called. May occur more than once a round. */
export interface ToolsRejected {
  readonly type: 'toolsRejected';
  readonly calls: readonly RejectedCall[];
}

/** An executor is being called. */
export interface ToolStarted {
  readonly type: 'toolStarted';
  readonly callId: string;
  readonly tool: string;
  /** The arguments that really run. */
  readonly arguments: JsonObject;
  /** True when the user changed them. */
  readonly edited: boolean;
  /** With this start. */
  readonly budget: Budget;
}

/** A tool reported progress. Objects are merged field by field, anything else replaces what was there. */
export interface ToolProgress {
  readonly type: 'toolProgress';
  readonly callId: string;
  readonly patch: JsonValue;
}

/** A tool did its work. */
export interface ToolCompleted {
  readonly type: 'toolCompleted';
  readonly callId: string;
  readonly outcome: Extract<ToolResultOutcome, 'success' | 'stop'>;
  readonly result: ToolResult;
  readonly budget: Budget;
}

/** A tool was called and did not do its work, or its answer cannot be used. */
export interface ToolFailed {
  readonly type: 'toolFailed';
  readonly callId: string;
  readonly outcome: Extract<
    ToolResultOutcome,
    'failed' | 'denied' | 'conflict' | 'thrown' | 'timed-out' | 'unusable'
  >;
  readonly result: ToolResult;
  readonly budget: Budget;
}

export type ToolOperation =
  | ToolCallPartial
  | ToolsRequested
  | GuardDecided
  | ToolsRejected
  | ToolStarted
  | ToolProgress
  | ToolCompleted
  | ToolFailed;
