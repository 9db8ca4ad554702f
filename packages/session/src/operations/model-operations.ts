import type { ModelIdentity } from '../conversation/model-identity.js';
import type { Revisions } from '../conversation/revisions.js';
import type { ProviderSwitch } from '../conversation/turn-record.js';
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
  /** The provider that was asked; absent without a fallback. */
  readonly member?: ModelIdentity;
  /** By reference. Absent in an operation from a log: it repeats the conversation. */
  readonly request?: ProviderRequest;
  /** The revisions of the domains when the request was built: the state of the app that the model reads. */
  readonly revisions: Revisions;
}

/** An attempt ended: with a whole answer, or with an error. */
export interface ModelCallFinished {
  readonly type: 'modelCallFinished';
  readonly attempt: number;
  /** The model that was asked. */
  readonly model?: string;
  readonly usage: UsageReport | null;
  /** The provider that was asked, whose usage and cost these are; absent without a fallback. */
  readonly member?: ModelIdentity;
  /** null when the attempt failed. */
  readonly stopReason: FinishReason | null;
  /** The provider's own name of the reason. */
  readonly rawStopReason?: string;
  /** A sentence of the provider about the reason, for the user. */
  readonly stopDetail?: string;
  readonly error: ErrorData | null;
  /**
   * The tokens of the request and of the answer: as the provider counts them, and estimated where it does not. Absent for an attempt that
   * failed before the provider counted, and where the provider neither counts nor names its window.
   */
  readonly contextTokens?: number;
  /** The size of the model's context window in tokens; absent where it is unknown. */
  readonly contextWindow?: number;
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
  /** Present where the model refused its encrypted reasoning: the turn goes on without that of all messages so far. */
  readonly without?: 'reasoning';
}

/** The next attempt of the open round is made by another provider, which stays for the rest of the turn. */
export interface ProviderSwitched extends ProviderSwitch {
  readonly type: 'providerSwitched';
  /** The number of the next attempt. */
  readonly attempt: number;
  /** The place of `to` among the providers of the fallback, 0-based. */
  readonly member: number;
}

export type ModelOperation = ModelCallStarted | ModelCallFinished | Retrying | ProviderSwitched;
