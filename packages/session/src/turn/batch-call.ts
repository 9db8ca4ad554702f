import type { ToolResult } from '../conversation/content.js';
import type { JsonObject } from '../json/json.js';
import { canonicalJson } from '../json/json.js';
import type { TurnFact } from '../operations/operation.js';
import type { RejectionReason } from '../conversation/turn-record.js';
import type { RejectedCall, RequestedCall } from '../operations/tool-operations.js';
import type { Validate } from '../ports/schema-validator.js';
import type { RegisteredTool } from '../tools/tool-registry.js';
import { textResult } from '../tools/tool-result.js';

/** A call on its way through a batch. Each step of the decision narrows it down; what is rejected stays rejected. */
export interface BatchCall {
  readonly requested: RequestedCall;
  /** Tool and arguments, for telling repetitions. */
  readonly key: string;
  rejected: boolean;
  /** Set once the arguments are known to fit. */
  ready: ReadyCall | null;
  /** Why the user is asked, when a guard wants that. */
  confirm: {
    readonly guard: string;
    readonly reason: string;
    readonly cost?: { amount: number; currency: string };
  } | null;
}

/** A call that may run. */
export interface ReadyCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly validate: Validate;
  /** The arguments as JSON. */
  readonly arguments: JsonObject;
  /** The arguments as the executor gets them: a schema library may have transformed them. */
  readonly value: unknown;
  /** The arguments as the model wrote them, when the user changed them. */
  readonly editedFrom: JsonObject | null;
  /** Approved by the app's own handler while a cancel was pending: this one call still runs. */
  readonly runsDespiteCancel: boolean;
}

export function batchCall(requested: RequestedCall): BatchCall {
  const { tool, argumentsText, arguments: parsed } = requested;
  return {
    requested,
    key: `${tool} ${parsed === null ? argumentsText : canonicalJson(parsed)}`,
    rejected: false,
    ready: null,
    confirm: null,
  };
}

/** Rejects a call; the fact holds the text that the model reads as its result. */
export function reject(call: BatchCall, reason: RejectionReason, text: string): TurnFact {
  return { type: 'toolsRejected', calls: [rejection(call, reason, textResult('rejected', text))] };
}

/** Rejects several calls at once; null when there are none. */
export function rejectAll(
  calls: readonly BatchCall[],
  reason: RejectionReason,
  text: string,
): TurnFact | null {
  const open = calls.filter((call) => !call.rejected);
  if (open.length === 0) return null;
  const result = textResult('rejected', text);
  return { type: 'toolsRejected', calls: open.map((call) => rejection(call, reason, result)) };
}

function rejection(call: BatchCall, reason: RejectionReason, result: ToolResult): RejectedCall {
  call.rejected = true;
  return { callId: call.requested.callId, reason, result };
}
