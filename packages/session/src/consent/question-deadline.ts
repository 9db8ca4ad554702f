import type { Clock } from '@banister/provider';
import { monotonicTime } from '@banister/provider/internal/port/clock';

/** The longest time for which attendance can stop the deadline of one question, in milliseconds. */
const ATTENDED_MS = 600_000;

/** The deadline of a question. It stands still while a view says that the user is at the question, but at most for {@link ATTENDED_MS}. */
export class QuestionDeadline {
  /** The views at which the user is looking at the question. */
  private readonly attendants = new Set<string>();
  /** At the time `since`: the time that is left, and the time for which the deadline may still stand still. */
  private left: number;
  private standsFor = ATTENDED_MS;
  private since: number;
  private stopTimer: () => void = () => {};

  /** Starts the timer. */
  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    private readonly expired: () => void,
  ) {
    this.left = timeoutMs;
    this.since = monotonicTime(clock);
    this.schedule();
  }

  /** The time at which the question expires, in milliseconds since 1970; null for never. */
  get expiresAt(): number | null {
    return this.timeoutMs === Infinity ? null : this.clock.now() + this.remaining;
  }

  get isAttended(): boolean {
    return this.attendants.size > 0;
  }

  /** Restarts the timer. Returns the new deadline. */
  restart(): number | null {
    this.count();
    this.left = this.timeoutMs;
    this.schedule();
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
    this.count();
    if (isThere) this.attendants.add(attendant);
    else this.attendants.delete(attendant);
    if (isAttended === this.isAttended) return null;
    this.schedule();
    return this.expiresAt;
  }

  stop(): void {
    this.stopTimer();
  }

  private get remaining(): number {
    return this.left + (this.isAttended ? this.standsFor : 0);
  }

  /** Subtracts the time that has passed since the last count. */
  private count(): void {
    const now = monotonicTime(this.clock);
    const passed = now - this.since;
    const stood = this.isAttended ? Math.min(passed, this.standsFor) : 0;
    this.standsFor -= stood;
    this.left -= passed - stood;
    this.since = now;
  }

  private schedule(): void {
    this.stopTimer();
    if (this.timeoutMs === Infinity) return;
    this.stopTimer = this.clock.schedule(this.expired, this.remaining);
  }
}
