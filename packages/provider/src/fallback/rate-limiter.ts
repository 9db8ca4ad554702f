import { AgentSessionError } from '../errors/agent-session-error.js';
import { monotonicTime, type Clock } from '../port/clock.js';

/** The highest number of requests to a provider in a period of time. */
export interface RateLimit {
  /** The highest number of requests in the period. They may all be sent at once. */
  readonly requests: number;
  /** The length of the period in milliseconds. Default 60,000. */
  readonly perMs?: number | undefined;
}

/**
 * Lets requests pass in order of arrival, as fast as a limit permits. It is a token bucket that is filled at an even rate; each request
 * takes one token.
 */
export class RateLimiter {
  private readonly msEach: number;
  private tokens: number;
  private filledAt: number;
  private readonly waiting: (() => void)[] = [];
  private stopTimer: (() => void) | null = null;

  constructor(
    private readonly limit: RateLimit,
    private readonly clock: Clock,
  ) {
    this.msEach = (limit.perMs ?? 60_000) / limit.requests;
    this.tokens = limit.requests;
    this.filledAt = monotonicTime(clock);
  }

  /** Resolves when the request may be sent. Rejects with `cancelled` if the signal fires first; then the request takes no token. */
  take(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(cancelled(signal));
      const pass = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.waiting.splice(this.waiting.indexOf(pass), 1);
        this.serve();
        reject(cancelled(signal));
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.push(pass);
      this.serve();
    });
  }

  private serve(): void {
    this.stopTimer?.();
    this.stopTimer = null;
    const now = monotonicTime(this.clock);
    // A clock without a monotonic time may be set back.
    const passed = Math.max(0, now - this.filledAt);
    this.tokens = Math.min(this.limit.requests, this.tokens + passed / this.msEach);
    this.filledAt = now;
    while (this.tokens >= 1) {
      const pass = this.waiting.shift();
      if (pass === undefined) return;
      this.tokens -= 1;
      pass();
    }
    if (this.waiting.length > 0)
      this.stopTimer = this.clock.schedule(() => this.serve(), Math.ceil((1 - this.tokens) * this.msEach));
  }
}

/** Returns the error of a request whose signal fired before it was sent. */
export function cancelled({ reason }: AbortSignal): AgentSessionError {
  return new AgentSessionError('cancelled', 'The request was cancelled.', { cause: reason });
}
