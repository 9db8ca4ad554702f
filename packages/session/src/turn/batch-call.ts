import type { JsonObject, ToolResult } from '@banister/provider';
import { defined } from '@banister/provider/internal/json/defined';
import type { Validate } from '@banister/schema';
import type { AgentRef } from '../conversation/agent-ref.js';
import * as told from '../conversation/model-words.js';
import type { GuardedCall } from '../guards/guard.js';
import type { Resolution } from '../guards/decision.js';
import { callKey } from '../operations/call-key.js';
import type { TurnFact } from '../operations/operation.js';
import type { RejectionReason } from '../conversation/turn-record.js';
import type { ToolCall } from '../consent/confirmation-operations.js';
import type { GuardQuestion } from '../operations/guard-question.js';
import type { RejectedCall, RequestedCall } from '../operations/tool-operations.js';
import { hostedQuestion } from '../tools/hosted-tool.js';
import type { ToolContext } from '../tools/tool.js';
import type { RegisteredTool } from '../tools/tool-registry.js';
import { textResult } from '../tools/tool-result.js';
import { interruptedFact } from './interrupted-fact.js';

/** A call of a batch, and the decision about it until now. A rejected call stays rejected. */
export interface BatchCall {
  readonly requested: RequestedCall;
  /** The tool and the arguments as a string. It is equal for repetitions of a call. */
  readonly key: string;
  rejected: boolean;
  /** Whether the call was decided before its turn was interrupted. Then a guard may still deny it, but requires no confirmation. */
  readonly isDecided: boolean;
  /** Whether the executor was called before the turn was interrupted. Then the call may have acted. */
  readonly isInterrupted: boolean;
  /** Whether the user decides if the executor is called again. */
  readonly asksForRerun: boolean;
  /** Runs instead of the executor if the tool knows that the call ran before its turn was interrupted. Then no guard decides again. */
  readonly recovered?: ((context: ToolContext) => unknown) | undefined;
  /** The arguments that the user edited before the turn was interrupted; null if the user edited none. */
  readonly edited: JsonObject | null;
  /** Set when the arguments have been checked and fit. */
  ready: ReadyCall | null;
  /** The verdict of the first guard that requires a confirmation; null if no guard requires it. */
  confirm: GuardQuestion | null;
}

/** A call whose arguments fit the parameters of its tool. */
export interface ReadyCall {
  readonly id: string;
  readonly tool: RegisteredTool;
  readonly validate: Validate;
  /** The arguments as JSON. */
  readonly arguments: JsonObject;
  /** The arguments in the form that the executor receives: a schema library may have transformed them. */
  readonly value: unknown;
  /** The arguments before the user edited them; null if the user did not edit them. */
  readonly editedFrom: JsonObject | null;
  /** The name of the middleware that replaced the arguments, and the line about this for the model; null if no middleware replaced them. */
  readonly replaced: { readonly by: string; readonly line: string } | null;
  /** True if the app's confirmation handler approved the call after a cancel. Then this call still runs. */
  readonly runsDespiteCancel: boolean;
}

export function batchCall(requested: RequestedCall): BatchCall {
  return {
    requested,
    key: callKey(requested),
    rejected: false,
    isDecided: false,
    isInterrupted: false,
    asksForRerun: false,
    edited: null,
    ready: null,
    confirm: requested.hosted ? hostedQuestion(requested.tool) : null,
  };
}

/**
 * Rejects a call and returns the fact. The model reads `text` as the result of the call. For an interrupted call the model reads that the
 * call may have acted. A call of a provider's tool is always rejected with `text`, because such a tool acts only with the next request.
 */
export function reject(call: BatchCall, reason: RejectionReason, text: string, forUser?: string): TurnFact {
  if (call.isInterrupted && !call.requested.hosted) {
    call.rejected = true;
    return interruptedFact(call.requested.callId, 'unknown');
  }
  return { type: 'toolsRejected', calls: [rejection(call, reason, textResult('rejected', text, forUser))] };
}

/**
 * Rejects a call because of a change since the model or the user has looked: the user approved it twice, each time with a preview that has
 * changed since, or another agent has changed one of its resources.
 */
export function rejectChanged(call: BatchCall, text: string): TurnFact {
  if (call.isInterrupted) return reject(call, 'conflict', text);
  const result = textResult('conflict', text);
  return { type: 'toolsRejected', calls: [rejection(call, 'conflict', result)] };
}

/** Rejects several calls and returns one fact; null if every call was already rejected. */
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

/** Returns a call in the form for guards and middleware. */
export function guardedCallOf(
  { id, tool, arguments: args }: ReadyCall,
  agent: AgentRef | undefined,
): GuardedCall {
  const { capabilities, irreversible } = tool;
  return defined({ id, tool: tool.id, arguments: args, capabilities, irreversible, agent });
}

/** Returns a call in the form for the user. */
export function toolCallOf({ id, tool, arguments: args }: ReadyCall): ToolCall {
  return defined({ id, tool: tool.id, title: tool.tool.title, arguments: args });
}

/** Returns the reason and the text with which a call is rejected if the user did not approve it. */
export function refusalOf(
  resolution: Extract<Resolution, { decision: 'denied' | 'timed-out' | 'cancelled' }>,
): [RejectionReason, string] {
  if (resolution.decision === 'timed-out') {
    return ['confirmation-timeout', told.notAnswered];
  }
  return ['declined', told.declined('reason' in resolution ? resolution.reason : undefined)];
}
