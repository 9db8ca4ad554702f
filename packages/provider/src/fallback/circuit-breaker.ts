import type { AgentSessionError, ErrorData } from '../errors/agent-session-error.js';
import { monotonicTime, type Clock } from '../port/clock.js';

/** The settings of the circuit breaker of {@link withFallback}. */
export interface BreakerOptions {
  /** After how many failures in a row a provider is paused. Default 5. */
  readonly failures?: number | undefined;
  /** The length of the pause in milliseconds. Default 60,000. */
  readonly pauseMs?: number | undefined;
  /** How many answers in a row end the trial after a pause. Default 2. */
  readonly successes?: number | undefined;
}

/** The last failure of a provider, with the message of its error. */
export type Failure = Pick<ErrorData, 'code' | 'message'>;

/** Tells the breaker once how a request ended: its failure, null for a complete answer, or no argument for an aborted request. */
type EndRequest = (failure?: AgentSessionError | null) => void;

/**
 * Pauses a provider that failed several times in a row. After the pause, requests are sent one at a time as a trial. Enough answers end the
 * trial; a failure starts the next pause.
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

  /** Milliseconds until the next request may be sent; 0 if a request may be sent now. */
  get restMs(): number {
    if (this.pausedUntil === null) return 0;
    const rest = this.pausedUntil - monotonicTime(this.clock);
    if (rest > 0) return rest;
    return this.trials === 0 ? 0 : 1;
  }

  /** Called when a request is sent. */
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
