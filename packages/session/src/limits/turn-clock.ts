import { monotonicTime, type Clock } from '../ports/clock.js';

/** The time of one turn. It is paused while a confirmation is open, so that the user's decision costs no budget. */
export class TurnClock {
  private runningSince: number | null;
  private stopTimer: () => void = () => {};
  private expired: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    /** The time that was counted before, of a turn that is taken up again. */
    private counted = 0,
  ) {
    this.runningSince = monotonicTime(clock);
  }

  /** The counted time in milliseconds. It is monotonic, as the timers are: it ignores changes of the system clock. */
  elapsed(): number {
    return this.counted + (this.runningSince === null ? 0 : monotonicTime(this.clock) - this.runningSince);
  }

  /** Calls `expired` once when the time is up; returns the function that cancels this. */
  onExpiry(expired: () => void): () => void {
    this.expired = expired;
    if (this.runningSince !== null) this.startTimer();
    return () => {
      this.expired = null;
      this.stopTimer();
    };
  }

  pause(): void {
    if (this.runningSince === null) return;
    this.counted = this.elapsed();
    this.runningSince = null;
    this.stopTimer();
  }

  resume(): void {
    if (this.runningSince !== null) return;
    this.runningSince = monotonicTime(this.clock);
    this.startTimer();
  }

  private startTimer(): void {
    if (this.expired === null || this.timeoutMs === Infinity) return;
    this.stopTimer = this.clock.schedule(
      () => this.expired?.(),
      Math.max(0, this.timeoutMs - this.elapsed()),
    );
  }
}
