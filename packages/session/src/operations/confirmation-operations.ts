import type { Cost } from '../conversation/usage-report.js';
import type { JsonObject } from '../json/json.js';
import type { Grant } from './consent-operations.js';

/** A tool call with arguments that were parsed and validated. */
export interface ToolCall {
  readonly id: string;
  /** `domain.tool` */
  readonly tool: string;
  /** The title of the tool; absent where it has none. */
  readonly title?: string;
  readonly arguments: JsonObject;
}

/**
 * The reason of this library for a question, as a code with its values:
 *
 * - `tool`: {@link confirmTools} names the tool.
 * - `capabilities`: {@link confirmCapabilities} names these capabilities of the tool.
 * - `rerun`: the call was interrupted, and may have acted; its tool has `replay: 'ask'`.
 * - `hosted`: the provider asks for an approval of a tool that it hosts.
 */
export type AskReason =
  | { readonly code: 'tool' | 'rerun' | 'hosted' }
  | { readonly code: 'capabilities'; readonly capabilities: readonly string[] };

/** A call that waits for the user's decision, as plain JSON. */
export interface ConfirmationRequest {
  readonly id: string;
  readonly call: ToolCall;
  /** The reason why the guard asks, as a sentence for the user: the words of the guard, else English ones. */
  readonly reason: string;
  /** Where the reason is one of this library: its code and its values. */
  readonly because?: AskReason;
  /** Name of the guard that asks. */
  readonly guard: string;
  /** The cost of the call, where the guard gave one. */
  readonly cost?: Cost;
  /** True when the tool declares that its effect cannot be taken back. */
  readonly irreversible: boolean;
  /** The time at which the request counts as denied, in milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
  /** `handler`: the option `confirm` of the session answers the request; a view can show it, but not answer it. */
  readonly answeredBy: 'signal' | 'handler';
}

/** A confirmation was opened: its call waits for the user's decision. */
export interface ConfirmationRequested {
  readonly type: 'confirmationRequested';
  readonly request: ConfirmationRequest;
}

/** A confirmation was settled. */
export interface ConfirmationResolved {
  readonly type: 'confirmationResolved';
  readonly requestId: string;
  readonly callId: string;
  readonly decision: 'approved' | 'edited' | 'denied' | 'timed-out' | 'cancelled';
  readonly by: 'user' | 'handler' | 'timeout' | 'cancel';
  readonly reason?: string;
  /** The edited arguments; present with the decision `edited`. */
  readonly arguments?: JsonObject;
  /** The approval, where the user wants it remembered. */
  readonly grant?: Grant;
  /** New deadlines of the requests that stay open, by id: each decision of the user restarts their timers. */
  readonly deadlines: { readonly [requestId: string]: number | null };
}

export type ConfirmationOperation = ConfirmationRequested | ConfirmationResolved;
