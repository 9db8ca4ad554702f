import type { Clock } from '@banister/provider';
import { LimitClock } from './limit-clock.js';

/**
 * The time of one turn. It stands still while the user is asked, so that the decision costs no time of the turn. It also stands still while
 * only tools with a time limit of their own run, and while the model thinks, because the thinking has a limit of its own.
 */
export class TurnClock extends LimitClock {
  /** The time for which the model thinks. */
  readonly thinking: LimitClock;
  /** Releases the clock that stands still: either this clock or `thinking`. */
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

  /** Counts the time as the model's thinking, or as time of the turn. */
  setThinking(isThinking: boolean): void {
    if (isThinking === this.isThinking) return;
    this.isThinking = isThinking;
    this.release();
    this.release = (isThinking ? this : this.thinking).hold();
  }
}
