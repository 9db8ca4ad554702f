import type { JsonObject } from '../json/json.js';
import type { DigestedPreview } from '../operations/confirmation-operations.js';
import type { ExtendableLimit } from '../operations/extension-operations.js';
import type { Remember } from '../operations/consent-operations.js';

/** The options of an approval. */
export interface ApproveOptions {
  /** Edited arguments, which replace those of the model. */
  readonly arguments?: JsonObject | undefined;
  /** How long the approval is remembered: calls that it covers are not asked about. Default: for this call alone. */
  readonly remember?: Remember | undefined;
  /**
   * The calls that a remembered approval covers: those with exactly these arguments, or every call of the tool. One for a tool that is
   * destructive, irreversible or paid always has the scope `arguments`. Default `arguments`.
   */
  readonly scope?: 'tool' | 'arguments' | undefined;
  /**
   * The preview that the user saw, as the `digest` of the request: where the question has another one by now, the answer is `{ errors }`. Default: the
   * approval counts for the preview that the question has when it is carried out. `approve()` of a confirmation names the one that it shows.
   */
  readonly digest?: string | undefined;
}

/** The user's answer to a request; `arguments` are edited ones, which replace those of the model. */
export type Decision =
  | ({ readonly approve: true } & ApproveOptions)
  | { readonly approve: false; readonly reason?: string | undefined };

/**
 * The user's answer to an extension request. `extend` gives more of its limit: the amount under the name of the limit, `{}` for the suggested
 * one. `end` stops the turn, and keeps its effects so far.
 */
export type ExtensionDecision =
  { readonly extend: { readonly [Limit in ExtendableLimit]?: number | undefined } } | { readonly end: true };

/**
 * The outcome of `respond`, and of the methods that call it: `approve`, `deny`, `extend` and `end`. `accepted`: this decision settled the request. `already-settled`: the
 * request is not open, since an earlier decision, a timeout or the end of the turn settled it. With `errors`, the edited
 * arguments do not fit the tool, the preview that the approval names has changed, the approval cannot be remembered, or the extension is none
 * that the limit can get; the request stays open.
 */
export type RespondOutcome = 'accepted' | 'already-settled' | { readonly errors: readonly string[] };

/**
 * The outcome of `previewOf`: the preview of the edited arguments. `already-settled`: the request is not open. With `errors`, the arguments do not fit
 * the tool, it has no preview, or the turn was interrupted and does not run.
 */
export type PreviewOutcome = DigestedPreview | Exclude<RespondOutcome, 'accepted'>;

/** The way in which an approval is remembered. */
export interface Remembered {
  readonly remember: Remember;
  readonly scope: 'tool' | 'arguments';
}

/** The way in which a request was settled. */
export type Resolution =
  | { readonly decision: 'approved'; readonly remembered?: Remembered; readonly digest?: string }
  | {
      readonly decision: 'edited';
      readonly arguments: JsonObject;
      readonly remembered?: Remembered;
      readonly digest?: string;
    }
  | { readonly decision: 'denied' | 'timed-out' | 'cancelled'; readonly reason?: string };
