import type {
  ErrorData,
  FinishReason,
  ModelIdentity,
  ProviderRequest,
  UsageReport,
} from '@banister/provider';
import type { Revisions } from '../conversation/revisions.js';
import type { ProviderSwitch } from '../conversation/turn-record.js';
import type { Budget } from './budget.js';

/** A request was sent to the provider. */
export interface ModelCallStarted {
  readonly type: 'modelCallStarted';
  /** 1-based; more than one attempt means retries. */
  readonly attempt: number;
  readonly model: string;
  /** The provider that received the request; absent without a fallback. */
  readonly member?: ModelIdentity;
  /** The request object itself, not a copy. Absent in an operation from a log, because it repeats the conversation. */
  readonly request?: ProviderRequest;
  /** The revisions of the domains when the request was built. They identify the state of the app that the model reads. */
  readonly revisions: Revisions;
}

/** An attempt ended with a complete answer, or with an error. */
export interface ModelCallFinished {
  readonly type: 'modelCallFinished';
  readonly attempt: number;
  /** The model that received the request. */
  readonly model?: string;
  readonly usage: UsageReport | null;
  /** The provider that received the request, and to which usage and cost belong; absent without a fallback. */
  readonly member?: ModelIdentity;
  /** null if the attempt failed. */
  readonly stopReason: FinishReason | null;
  /** The provider's own name of the reason. */
  readonly rawStopReason?: string;
  /** A sentence of the provider about the reason, for the user. */
  readonly stopDetail?: string;
  readonly error: ErrorData | null;
  /**
   * The tokens of the request and the answer, as the provider counts them, and estimated otherwise. Absent if the attempt failed before the
   * provider counted. Also absent if the provider neither counts tokens nor names its window.
   */
  readonly contextTokens?: number;
  /** The size of the model's context window in tokens; absent if it is unknown. */
  readonly contextWindow?: number;
  readonly budget: Budget;
}

/** The request will be sent again after a wait. */
export interface Retrying {
  readonly type: 'retrying';
  /** The number of the next attempt. */
  readonly attempt: number;
  /** The highest number of attempts. */
  readonly maxAttempts: number;
  /** The wait in milliseconds. */
  readonly delayMs: number;
  readonly reason: string;
  readonly code: ErrorData['code'];
  /** Present if the model refused its encrypted reasoning. The turn goes on without the reasoning of all messages until now. */
  readonly without?: 'reasoning';
}

/** Another provider makes the next attempt of the open round, and stays for the rest of the turn. */
export interface ProviderSwitched extends ProviderSwitch {
  readonly type: 'providerSwitched';
  /** The number of the next attempt. */
  readonly attempt: number;
  /** The 0-based index of `to` among the providers of the fallback. */
  readonly member: number;
}

export type ModelOperation = ModelCallStarted | ModelCallFinished | Retrying | ProviderSwitched;
