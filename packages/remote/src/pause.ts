import type { AgentSessionError, Ports } from '@banister/session';

/** The maximal delay before the first attempt after a failure, in milliseconds. It doubles with each failure in a row. */
const FIRST_MS = 250;
/** The maximal delay before any attempt. */
const LONGEST_MS = 8_000;

/** The delay between two attempts. */
export class Pause {
  private failures = 0;

  constructor(private readonly ports: Pick<Ports, 'clock' | 'random'>) {}

  /** Starts again with the shortest delay, after an attempt has succeeded. */
  reset(): void {
    this.failures = 0;
  }

  /** Resolves when the next attempt is due: after a delay, when the browser is online again, or when `signal` aborts. */
  wait(reason: AgentSessionError | null, signal: AbortSignal): Promise<void> {
    const { clock, random } = this.ports;
    const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** this.failures++);
    const hint = reason?.retry;
    const asked = typeof hint === 'object' ? hint.afterMs : 0;
    return new Promise((resolve) => {
      const end = () => {
        stopTimer();
        globalThis.removeEventListener?.('online', end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      // Half of the delay is random, so that the readers of a host that was away do not come all at once.
      const stopTimer = clock.schedule(end, Math.max(asked, longest * (0.5 + random() / 2)));
      globalThis.addEventListener?.('online', end);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}
