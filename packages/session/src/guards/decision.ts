import type { JsonObject } from '@banister/provider';
import type { DigestedPreview } from '../consent/confirmation-operations.js';
import type { ExtendableLimit } from '../extension/extension-operations.js';
import type { Remember } from '../consent/consent-operations.js';

/** The options of an approval. */
export interface ApproveOptions {
  /** Edited arguments, which replace the model's arguments. */
  readonly arguments?: JsonObject | undefined;
  /** How long the approval is remembered. Calls that it covers are not asked about. Default: only this call is approved. */
  readonly remember?: Remember | undefined;
  /**
   * The calls that a remembered approval covers: calls with exactly these arguments, or every call of the tool. For a tool that is
   * destructive, irreversible or paid, the scope is always `arguments`. Default `arguments`.
   */
  readonly scope?: 'tool' | 'arguments' | undefined;
  /**
   * The preview that the user saw, by the `digest` of the request. If the question has another preview by now, the answer is `{ errors }`.
   * Default: the approval counts for the preview of the question at the time when the approval is carried out. `approve()` of a
   * confirmation passes the digest of the preview that the confirmation shows.
   */
  readonly digest?: string | undefined;
}

/** The user's answer to a request. `arguments` are edited arguments, which replace the model's arguments. */
export type Decision =
  | ({ readonly approve: true } & ApproveOptions)
  | { readonly approve: false; readonly reason?: string | undefined };

/**
 * The user's answer to an extension request. `extend` gives more of its limit: the amount under the name of the limit, or `{}` for the
 * suggested amount. `end` stops the turn, and keeps its effects until then.
 */
export type ExtensionDecision =
  { readonly extend: { readonly [Limit in ExtendableLimit]?: number | undefined } } | { readonly end: true };

/**
 * The outcome of `respond`, and of the methods that call it: `approve`, `deny`, `extend` and `end`. `accepted`: this decision settled the
 * request. `already-settled`: the request is not open, because an earlier decision, a timeout or the end of the turn settled it. `errors`:
 * the request stays open. Either the edited arguments do not fit the tool, or the preview that the approval names has changed, or the
 * approval cannot be remembered, or the limit cannot be extended in this way.
 */
export type RespondOutcome = 'accepted' | 'already-settled' | { readonly errors: readonly string[] };

/**
 * The outcome of `previewOf`: the preview of the edited arguments. `already-settled`: the request is not open. `errors`: the arguments do
 * not fit the tool, the tool has no preview, or the turn was interrupted and does not run.
 */
export type PreviewOutcome = DigestedPreview | Exclude<RespondOutcome, 'accepted'>;

/** How an approval is remembered. */
export interface Remembered {
  readonly remember: Remember;
  readonly scope: 'tool' | 'arguments';
}

/** How a request was settled. */
export type Resolution =
  | { readonly decision: 'approved'; readonly remembered?: Remembered; readonly digest?: string }
  | {
      readonly decision: 'edited';
      readonly arguments: JsonObject;
      readonly remembered?: Remembered;
      readonly digest?: string;
    }
  | { readonly decision: 'denied' | 'timed-out' | 'cancelled'; readonly reason?: string };
