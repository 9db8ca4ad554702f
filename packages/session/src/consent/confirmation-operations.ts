import type { Cost, JsonObject, JsonValue } from '@banister/provider';
import type { AgentRef } from '../conversation/agent-ref.js';
import type { Grant } from './consent-operations.js';

/** A tool call with arguments that were parsed and validated. */
export interface ToolCall {
  readonly id: string;
  /** `domain.tool` */
  readonly tool: string;
  /** The title of the tool; absent if it has none. */
  readonly title?: string;
  readonly arguments: JsonObject;
}

/**
 * Why this library asks, as a code with its values:
 *
 * - `tool`: {@link confirmTools} names the tool.
 * - `capabilities`: {@link confirmCapabilities} names these capabilities of the tool.
 * - `rerun`: the call was interrupted, and may have acted; its tool has `replay: 'ask'`.
 * - `hosted`: the provider asks for an approval of a tool that it hosts.
 * - `imported`: the call comes from an imported conversation; an approval there does not count here.
 */
export type AskReason =
  | { readonly code: 'tool' | 'rerun' | 'hosted' | 'imported' }
  | { readonly code: 'capabilities'; readonly capabilities: readonly string[] };

/**
 * Why a preview failed, if this library found the reason, as a code with its values:
 *
 * - `empty`: the tool returned nothing.
 * - `no-json`: it returned something that JSON cannot hold, or too many values.
 * - `too-long`: it returned more than `limit` characters.
 * - `too-slow`: it did not answer within `ms` milliseconds.
 * - `ended`: the question ended first.
 */
export type PreviewFailure =
  | { readonly code: 'empty' | 'no-json' | 'ended' }
  | { readonly code: 'too-long'; readonly limit: number }
  | { readonly code: 'too-slow'; readonly ms: number };

/**
 * The change that a call is going to make, as the `preview` of its tool predicts it: a text, values before and after, or other JSON.
 * `failed`: there is no prediction. Then `reason` is a sentence for the user, `because` has the code if this library found the reason, and
 * the call may still be approved.
 */
export type CallPreview =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'change'; readonly before: JsonValue; readonly after: JsonValue }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'failed'; readonly reason: string; readonly because?: PreviewFailure };

/** A preview, and its digest. */
export interface DigestedPreview {
  readonly preview: CallPreview;
  /**
   * Identifies the call, its arguments and this preview. An approval with this digest counts only for them. Every other preview of the
   * question has another digest.
   */
  readonly digest: string;
}

/** A call that waits for the user's decision, as plain JSON. */
export interface ConfirmationRequest {
  readonly id: string;
  readonly call: ToolCall;
  /** The agent in whose child turn the call runs; absent for a call of the session's own model. */
  readonly agent?: AgentRef;
  /** Why the guard asks, as a sentence for the user: the guard's own sentence, or an English one. */
  readonly reason: string;
  /** The code and the values of the reason, if it is a reason of this library. */
  readonly because?: AskReason;
  /** The name of the guard that asks. */
  readonly guard: string;
  /** The cost of the call, if the guard gave one. */
  readonly cost?: Cost;
  /** True if the tool declares that its effect cannot be taken back. */
  readonly irreversible: boolean;
  /** The change that the call is going to make; absent if its tool has no `preview`. */
  readonly preview?: CallPreview;
  /** As {@link DigestedPreview.digest}, for the option `digest` of an approval; present with `preview`. */
  readonly digest?: string;
  /**
   * Present if the preview is different from the preview that the user saw first. Either it was renewed while the question was open, or the
   * call was approved and the user is asked again.
   */
  readonly changed?: true;
  /** The time at which the request counts as denied, in milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
  /**
   * Present while a view says that the user is at the question. Then `expiresAt` already includes the time for which the deadline may stand
   * still.
   */
  readonly attended?: true;
  /** `handler`: the option `confirm` of the session answers the request; a view can show it, but not answer it. */
  readonly answeredBy: 'signal' | 'handler';
}

/** A confirmation was opened: its call waits for the user's decision. */
export interface ConfirmationRequested {
  readonly type: 'confirmationRequested';
  readonly request: ConfirmationRequest;
}

/** An open confirmation has a different preview, because the app or the user changed the domain of its call. */
export interface PreviewRenewed extends DigestedPreview {
  readonly type: 'previewRenewed';
  readonly requestId: string;
  readonly callId: string;
}

/** A view says that the user is at a question, or is not there any more. This changes the deadline. */
export interface ConfirmationAttended {
  readonly type: 'confirmationAttended';
  readonly requestId: string;
  readonly callId: string;
  readonly attended: boolean;
  readonly expiresAt: number;
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
  /** The preview of the edited arguments, if the approval counts for it and not for the preview in the request. */
  readonly preview?: CallPreview;
  /** The remembered approval, if the user wants it remembered. */
  readonly grant?: Grant;
  /** The new deadlines of the requests that stay open, by id: each decision of the user restarts their timers. */
  readonly deadlines: { readonly [requestId: string]: number | null };
}

export type ConfirmationOperation =
  ConfirmationRequested | PreviewRenewed | ConfirmationAttended | ConfirmationResolved;
