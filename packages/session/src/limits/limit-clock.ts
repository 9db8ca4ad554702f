import type { Clock } from '@banister/provider';
import { monotonicTime } from '@banister/provider/internal/port/clock';
import { holdsOf, type Hold } from './hold.js';

/** A clock with a limit. It stands still while at least one `hold` is open. A clock with parts also stands still while every part is held. */
export class LimitClock {
  /** Lets the clock stand still until the returned function is called. */
  readonly hold: Hold = holdsOf((isHeld) => (isHeld ? this.stop() : this.start()));
  private runningSince: number | null;
  /** The number of parts that are not held. */
  private working = 0;
  /** Releases the hold that is open while every part is held. */
  private release: () => void = () => {};
  private stopTimer: () => void = () => {};
  private expired: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    /** The permitted time, in milliseconds. It may change while the clock stands still; the new limit applies when the clock goes on. */
    public allowed: number,
    /** The time that an earlier session counted for a resumed turn. */
    private counted = 0,
  ) {
    this.runningSince = monotonicTime(clock);
  }

  /** The counted time in milliseconds. Like the timers it is monotonic: it ignores changes of the system clock. */
  elapsed(): number {
    return this.counted + (this.runningSince === null ? 0 : monotonicTime(this.clock) - this.runningSince);
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

  /** Adds a part to the clock, which is not held. Returns the function that holds it. A hold that is never released removes the part. */
  part(): Hold {
    this.partsWork(1);
    return holdsOf((isHeld) => this.partsWork(isHeld ? -1 : 1));
  }

  private partsWork(more: 1 | -1): void {
    this.working += more;
    if (this.working === 0) this.release = this.hold();
    else this.release();
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
    if (this.expired === null || this.allowed === Infinity) return;
    this.stopTimer = this.clock.schedule(() => this.expired?.(), Math.max(0, this.allowed - this.elapsed()));
  }
}
