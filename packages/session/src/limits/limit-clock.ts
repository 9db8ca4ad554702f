import type { Clock } from '@banister/provider';
import { monotonicTime } from '@banister/provider/internal/port/clock';

/** A clock with a limit. It stands still while at least one `hold` is open. */
export class LimitClock {
  private runningSince: number | null;
  private holds = 0;
  private stopTimer: () => void = () => {};
  private expired: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private limitMs: number,
    /** The time that an earlier session counted for a resumed turn. */
    private counted = 0,
  ) {
    this.runningSince = monotonicTime(clock);
  }

  /** The counted time in milliseconds. Like the timers it is monotonic: it ignores changes of the system clock. */
  elapsed(): number {
    return this.counted + (this.runningSince === null ? 0 : monotonicTime(this.clock) - this.runningSince);
  }

  /** The permitted time, in milliseconds. */
  get allowed(): number {
    return this.limitMs;
  }

  /** Permits more time. The clock must stand still; the new limit applies when it goes on. */
  extendTo(limitMs: number): void {
    this.limitMs = limitMs;
  }

  /** Calls `expired` when the time is up, and again after each extension. Returns a function that cancels this. */
  onExpiry(expired: () => void): () => void {
    this.expired = expired;
    if (this.runningSince !== null) this.startTimer();
    return () => {
      this.expired = null;
      this.stopTimer();
    };
  }

  /** Lets the clock stand still until the returned function is called. Calling that function again does nothing. */
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
