import type { AgentSessionError, ErrorData } from '../../errors/agent-session-error.js';
import { monotonicTime, type Clock } from '../../ports/clock.js';

/** The bounds of the breaker of {@link withFallback}. */
export interface BreakerOptions {
  /** The number of failures in a row after which a provider is paused. Default 5. */
  readonly failures?: number | undefined;
  /** The length of the pause in milliseconds. Default 60,000. */
  readonly pauseMs?: number | undefined;
  /** The number of answers in a row that end the trial after a pause. Default 2. */
  readonly successes?: number | undefined;
}

/** The last failure of a provider, in the words of its error. */
export type Failure = Pick<ErrorData, 'code' | 'message'>;

/** Ends a request at the breaker, once: with its failure, with null for a whole answer, without a value for a request that was given up. */
export type EndRequest = (failure?: AgentSessionError | null) => void;

/**
 * Pauses a provider that failed several times in a row. After the pause one request at a time is a trial: enough answers end it, a failure
 * begins the next pause.
 */
export class CircuitBreaker {
  private failures = 0;
  private successes = 0;
  private pausedUntil: number | null = null;
  private trials = 0;
  lastFailure: Failure | null = null;

  constructor(
    private readonly bounds: Required<{ [K in keyof BreakerOptions]: number }>,
    private readonly clock: Clock,
    private readonly onTrip: (failure: Failure) => void,
  ) {}

  /** Milliseconds until the next request may be sent; 0 where one may be sent now. */
  get restMs(): number {
    if (this.pausedUntil === null) return 0;
    const rest = this.pausedUntil - monotonicTime(this.clock);
    if (rest > 0) return rest;
    return this.trials === 0 ? 0 : 1;
  }

  /** Is called when a request is sent. */
  begin(): EndRequest {
    const isTrial = this.pausedUntil !== null;
    if (isTrial) this.trials += 1;
    let isOver = false;
    return (failure) => {
      if (isOver) return;
      isOver = true;
      if (isTrial) this.trials -= 1;
      if (failure === null) this.answered();
      else if (failure !== undefined) this.failed(failure);
    };
  }

  private answered(): void {
    this.failures = 0;
    if (this.pausedUntil === null) return;
    this.successes += 1;
    if (this.successes < this.bounds.successes) return;
    this.pausedUntil = null;
    this.lastFailure = null;
  }

  private failed({ code, message }: AgentSessionError): void {
    this.lastFailure = { code, message };
    this.failures += 1;
    this.successes = 0;
    const isPaused = this.pausedUntil !== null;
    if (!isPaused && this.failures < this.bounds.failures) return;
    this.pausedUntil = monotonicTime(this.clock) + this.bounds.pauseMs;
    this.onTrip(this.lastFailure);
  }
}
