import type { Revisions } from '../conversation/revisions.js';
import type { UsageReport } from '../conversation/usage-report.js';
import type { ErrorData } from '../errors/agent-session-error.js';
import type { Budget } from './budget.js';
import type { FinishReason } from '../provider/provider-event.js';
import type { ProviderRequest } from '../provider/provider.js';

/** A request was sent to the provider. */
export interface ModelCallStarted {
  readonly type: 'modelCallStarted';
  /** 1-based; more than one attempt means retries. */
  readonly attempt: number;
  readonly model: string;
  /** By reference. Absent in an operation from a log: it repeats the conversation. */
  readonly request?: ProviderRequest;
  /** The revisions of the domains when the request was built: the state of the app that the model reads. */
  readonly revisions: Revisions;
}

/** An attempt ended: with a whole answer, or with an error. */
export interface ModelCallFinished {
  readonly type: 'modelCallFinished';
  readonly attempt: number;
  readonly usage: UsageReport | null;
  /** null when the attempt failed. */
  readonly stopReason: FinishReason | null;
  /** The provider's own name of the reason. */
  readonly rawStopReason?: string;
  /** A sentence of the provider about the reason, for the user. */
  readonly stopDetail?: string;
  readonly error: ErrorData | null;
  readonly budget: Budget;
}

/** The request will be sent again after a wait. */
export interface Retrying {
  readonly type: 'retrying';
  /** The number of the next attempt. */
  readonly attempt: number;
  /** The most attempts that are made. */
  readonly maxAttempts: number;
  /** The wait in milliseconds. */
  readonly delayMs: number;
  readonly reason: string;
  readonly code: ErrorData['code'];
}

export type ModelOperation = ModelCallStarted | ModelCallFinished | Retrying;
