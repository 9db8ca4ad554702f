import { monotonicTime, type Clock } from '../ports/clock.js';

/** A clock with a limit. It stands still while at least one reason to hold it is there. */
export class LimitClock {
  private runningSince: number | null;
  private holds = 0;
  private stopTimer: () => void = () => {};
  private expired: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private limitMs: number,
    /** The time that was counted before, of a turn that is taken up again. */
    private counted = 0,
  ) {
    this.runningSince = monotonicTime(clock);
  }

  /** The counted time in milliseconds. It is monotonic, as the timers are: it ignores changes of the system clock. */
  elapsed(): number {
    return this.counted + (this.runningSince === null ? 0 : monotonicTime(this.clock) - this.runningSince);
  }

  /** The time that is permitted, in milliseconds. */
  get allowed(): number {
    return this.limitMs;
  }

  /** Permits more time, which counts when the clock goes on: it must stand still. */
  extendTo(limitMs: number): void {
    this.limitMs = limitMs;
  }

  /** Calls `expired` when the time is up, and again after each extension; returns the function that cancels this. */
  onExpiry(expired: () => void): () => void {
    this.expired = expired;
    if (this.runningSince !== null) this.startTimer();
    return () => {
      this.expired = null;
      this.stopTimer();
    };
  }

  /** Lets the clock stand still until the returned function is called. Calling that once more changes nothing. */
  hold(): () => void {
    if (this.holds++ === 0) this.stop();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      if (--this.holds === 0) this.start();
    };
  }

  private stop(): void {
    this.counted = this.elapsed();
    this.runningSince = null;
    this.stopTimer();
  }

  private start(): void {
    this.runningSince = monotonicTime(this.clock);
    this.startTimer();
  }

  private startTimer(): void {
    if (this.expired === null || this.limitMs === Infinity) return;
    this.stopTimer = this.clock.schedule(() => this.expired?.(), Math.max(0, this.limitMs - this.elapsed()));
  }
}
