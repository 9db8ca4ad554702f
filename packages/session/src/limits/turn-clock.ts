import type { Clock } from '../ports/clock.js';
import { LimitClock } from './limit-clock.js';

/**
 * The time of one turn. It stands still while the user is asked, so that the decision costs no budget, while only tools run that bound
 * their own time, and while the model thinks, which counts for a limit of its own.
 */
export class TurnClock extends LimitClock {
  /** The time that the model thinks. */
  readonly thinking: LimitClock;
  /** Holds the one of the two clocks that does not run. */
  private release: () => void;
  private isThinking = false;

  constructor(
    clock: Clock,
    { timeoutMs, maxThinkingMs }: { readonly timeoutMs: number; readonly maxThinkingMs: number },
    counted = 0,
  ) {
    super(clock, timeoutMs, counted);
    this.thinking = new LimitClock(clock, maxThinkingMs);
    this.release = this.thinking.hold();
  }

  /** Lets the time count as the model's thinking, or as that of the turn. */
  setThinking(isThinking: boolean): void {
    if (isThinking === this.isThinking) return;
    this.isThinking = isThinking;
    this.release();
    this.release = (isThinking ? this : this.thinking).hold();
  }
}
