import type { UsageReport } from '../conversation/usage-report.js';
import type { ErrorData } from '../errors/agent-session-error.js';
import type { Budget } from './budget.js';
import type { FinishReason } from '../provider/provider-event.js';
import type { ProviderRequest } from '../provider/provider.js';

/** A request left for the provider. */
export interface ModelCallStarted {
  readonly type: 'modelCallStarted';
  /** 1-based; more than one attempt means retries. */
  readonly attempt: number;
  readonly model: string;
  /** By reference; leave it out of journals, it repeats the conversation. */
  readonly request: ProviderRequest;
}

/** The provider's answer ended, whole or broken. */
export interface ModelCallFinished {
  readonly type: 'modelCallFinished';
  readonly attempt: number;
  readonly usage: UsageReport | null;
  /** null when the answer broke. */
  readonly stopReason: FinishReason | null;
  /** The provider's own word for it. */
  readonly rawStopReason?: string;
  readonly error: ErrorData | null;
  readonly budget: Budget;
}

/** The request will be sent again. */
export interface Retrying {
  readonly type: 'retrying';
  /** The attempt that comes. */
  readonly attempt: number;
  /** Attempts that there will be at most. */
  readonly maxAttempts: number;
  /** Milliseconds until then. */
  readonly delayMs: number;
  readonly reason: string;
  readonly code: ErrorData['code'];
}

export type ModelOperation = ModelCallStarted | ModelCallFinished | Retrying;
