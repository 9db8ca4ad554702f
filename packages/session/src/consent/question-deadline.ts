import type { Clock } from '@banister/provider';
import { LimitClock } from '../limits/limit-clock.js';

/** The longest time for which attendance can stop the deadline of one question, in milliseconds. */
const ATTENDED_MS = 600_000;

/** The deadline of a question. It stands still while a view says that the user is at the question, but at most for {@link ATTENDED_MS}. */
export class QuestionDeadline {
  /** The views at which the user is looking at the question. */
  private readonly attendants = new Set<string>();
  private readonly time: LimitClock;
  /** The time for which the deadline has stood still. */
  private readonly attended: LimitClock;
  /** Releases the clock that stands still: either `time` or `attended`. */
  private release: () => void;
  private readonly stops: readonly (() => void)[];

  /** Starts the timer. */
  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    expired: () => void,
  ) {
    this.time = new LimitClock(clock, timeoutMs);
    this.attended = new LimitClock(clock, ATTENDED_MS);
    this.release = this.attended.hold();
    this.stops = [this.time.onExpiry(expired), this.attended.onExpiry(() => this.goOn())];
  }

  /** The time at which the question expires, in milliseconds since 1970; null for never. */
  get expiresAt(): number | null {
    if (this.timeoutMs === Infinity) return null;
    const { time, attended } = this;
    const standsFor = this.isAttended ? Math.max(0, attended.allowed - attended.elapsed()) : 0;
    return this.clock.now() + time.allowed - time.elapsed() + standsFor;
  }

  get isAttended(): boolean {
    return this.attendants.size > 0;
  }

  /** Restarts the timer. Returns the new deadline. */
  restart(): number | null {
    const { time } = this;
    const goOn = time.hold();
    time.allowed = time.elapsed() + this.timeoutMs;
    goOn();
    return this.expiresAt;
  }

  /**
   * Records that a view is at the question, or is not there any more.
   *
   * @returns the new deadline, or null if it has not changed
   */
  attend(attendant: string, isThere: boolean): number | null {
    if (this.timeoutMs === Infinity) return null;
    const { isAttended } = this;
    if (isThere) this.attendants.add(attendant);
    else this.attendants.delete(attendant);
    if (isAttended === this.isAttended) return null;
    if (isAttended) this.goOn();
    else {
      this.release();
      this.release = this.time.hold();
    }
    return this.expiresAt;
  }

  /** Lets the time run again. The timers of a page that slept are late: the time beyond the permitted attendance counts. */
  private goOn(): void {
    const { time, attended } = this;
    const late = Math.max(0, attended.elapsed() - attended.allowed);
    time.allowed -= late;
    attended.allowed += late;
    this.release();
    this.release = attended.hold();
  }

  stop(): void {
    for (const stop of this.stops) stop();
  }
}
