import { monotonicTime, type Clock } from '../ports/clock.js';

/** The longest time for which the deadline of one question stands still, in milliseconds. */
const ATTENDED_MS = 600_000;

/** The time of a question. It stands still while the user is at the question, as far as views may say so for one question. */
export class QuestionDeadline {
  /** The views that say so. */
  private readonly attendants = new Set<string>();
  /** The time that is left, and the time for which it may still stand still, at the moment `since`. */
  private left: number;
  private standsFor = ATTENDED_MS;
  private since: number;
  private stopTimer: () => void = () => {};

  /** Starts the time. */
  constructor(
    private readonly clock: Clock,
    private readonly timeoutMs: number,
    private readonly expired: () => void,
  ) {
    this.left = timeoutMs;
    this.since = monotonicTime(clock);
    this.schedule();
  }

  /** The time at which the question expires, in milliseconds since the epoch; null for never. */
  get expiresAt(): number | null {
    return this.timeoutMs === Infinity ? null : this.clock.now() + this.remaining;
  }

  get isAttended(): boolean {
    return this.attendants.size > 0;
  }

  /** Starts the time anew. Returns when it ends. */
  restart(): number | null {
    this.count();
    this.left = this.timeoutMs;
    this.schedule();
    return this.expiresAt;
  }

  /**
   * Lets a view say that the user is at the question, or is there no longer.
   *
   * @returns the new deadline, or null where it is as before
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

  /** Counts the time since it was counted last. */
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
