import type { Cost } from '../conversation/usage-report.js';
import type { JsonObject, JsonValue } from '../json/json.js';
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
 * - `imported`: the call comes from an imported conversation; an approval there is none here.
 */
export type AskReason =
  | { readonly code: 'tool' | 'rerun' | 'hosted' | 'imported' }
  | { readonly code: 'capabilities'; readonly capabilities: readonly string[] };

/**
 * The reason of this library for which a preview failed, as a code with its values:
 *
 * - `empty`: the tool returned nothing.
 * - `no-json`: it returned something that JSON cannot hold, or very many values.
 * - `too-long`: it returned more than `limit` characters.
 * - `too-slow`: it did not answer within `ms` milliseconds.
 * - `ended`: the question ended first.
 */
export type PreviewFailure =
  | { readonly code: 'empty' | 'no-json' | 'ended' }
  | { readonly code: 'too-long'; readonly limit: number }
  | { readonly code: 'too-slow'; readonly ms: number };

/**
 * The change that a call is going to make, as the `preview` of its tool foresees it: a text, values before and after, or other JSON. `failed`: the
 * tool could not say; `reason` is for the user, with `because` where it is one of this library, and the call may still be approved.
 */
export type CallPreview =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'change'; readonly before: JsonValue; readonly after: JsonValue }
  | { readonly kind: 'json'; readonly value: JsonValue }
  | { readonly kind: 'failed'; readonly reason: string; readonly because?: PreviewFailure };

/** A preview, and the text that stands for it. */
export interface DigestedPreview {
  readonly preview: CallPreview;
  /**
   * Stands for the call, its arguments and this preview: an approval that names it counts for these alone. Each other preview of the question has
   * another one.
   */
  readonly digest: string;
}

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
  /** The change that the call is going to make; absent where its tool has no `preview`. */
  readonly preview?: CallPreview;
  /** As {@link DigestedPreview.digest}, for the option `digest` of an approval; present with `preview`. */
  readonly digest?: string;
  /**
   * Present where the preview is another one than the user saw first: it was renewed while the question was open, or the call was approved and is
   * asked about once more.
   */
  readonly changed?: true;
  /** The time at which the request counts as denied, in milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
  /** Present while a view says that the user is at the question: `expiresAt` is later by the time that this may last. */
  readonly attended?: true;
  /** `handler`: the option `confirm` of the session answers the request; a view can show it, but not answer it. */
  readonly answeredBy: 'signal' | 'handler';
}

/** A confirmation was opened: its call waits for the user's decision. */
export interface ConfirmationRequested {
  readonly type: 'confirmationRequested';
  readonly request: ConfirmationRequest;
}

/** The preview of an open confirmation is another one: the app or the user changed the domain of its call. */
export interface PreviewRenewed extends DigestedPreview {
  readonly type: 'previewRenewed';
  readonly requestId: string;
  readonly callId: string;
}

/** A view says that the user is at a question, or is there no longer: its deadline is another one. */
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
  /** The preview for which the approval counts, where it is none of the request: that of the edited arguments. */
  readonly preview?: CallPreview;
  /** The approval, where the user wants it remembered. */
  readonly grant?: Grant;
  /** New deadlines of the requests that stay open, by id: each decision of the user restarts their timers. */
  readonly deadlines: { readonly [requestId: string]: number | null };
}

export type ConfirmationOperation =
  ConfirmationRequested | PreviewRenewed | ConfirmationAttended | ConfirmationResolved;
