import type { Cost } from '../conversation/usage-report.js';
import type { JsonObject } from '../json/json.js';

/** A tool call with arguments that were parsed and validated. */
export interface ToolCall {
  readonly id: string;
  /** `domain.tool` */
  readonly tool: string;
  readonly arguments: JsonObject;
}

/** A call that waits on the user, as plain JSON. */
export interface ConfirmationRequest {
  readonly id: string;
  readonly call: ToolCall;
  /** Why the user is asked, in words for the user. */
  readonly reason: string;
  /** Name of the guard that asks. */
  readonly guard: string;
  readonly cost?: Cost;
  /** True when the tool declares that its effect cannot be taken back. */
  readonly irreversible: boolean;
  /** When silence becomes a denial, in milliseconds since the epoch; null for never. */
  readonly expiresAt: number | null;
  /** `handler`: a function of the app answers; a view can show the request, but not answer it. */
  readonly answeredBy: 'signal' | 'handler';
}

/** A call waits on the user. */
export interface ConfirmationRequested {
  readonly type: 'confirmationRequested';
  readonly request: ConfirmationRequest;
}

/** The wait is over. */
export interface ConfirmationResolved {
  readonly type: 'confirmationResolved';
  readonly requestId: string;
  readonly callId: string;
  readonly decision: 'approved' | 'edited' | 'denied' | 'timed-out' | 'cancelled';
  readonly by: 'user' | 'handler' | 'timeout' | 'cancel';
  readonly reason?: string;
  /** The arguments as edited. */
  readonly arguments?: JsonObject;
  /** New deadlines of the requests that stay open, by id: each answer restarts their timers. */
  readonly deadlines: { readonly [requestId: string]: number | null };
}

export type ConfirmationOperation = ConfirmationRequested | ConfirmationResolved;
