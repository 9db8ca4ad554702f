import type { Hold } from './hold.js';
import type { TurnTime } from './turn-time.js';

/**
 * The part of one agent in the time of its turn. It stands still while the user is asked, so that the decision costs no time of the turn. It
 * also stands still while only tools with a time limit of their own run, and while the model thinks, because the thinking has a limit of its
 * own.
 */
export class AgentClock {
  /** Lets the part stand still until the returned function is called. */
  readonly hold: Hold;
  private readonly holdThinking: Hold;
  /** Releases the part that stands still: either this part or the part in the time for thinking. */
  private release: () => void;
  private isThinking = false;

  constructor({ timeoutMs, maxThinkingMs }: TurnTime) {
    this.hold = timeoutMs.part();
    this.holdThinking = maxThinkingMs.part();
    this.release = this.holdThinking();
  }

  /** Counts the time as the model's thinking, or as time of the turn. */
  setThinking(isThinking: boolean): void {
    if (isThinking === this.isThinking) return;
    this.isThinking = isThinking;
    this.release();
    this.release = isThinking ? this.hold() : this.holdThinking();
  }
}
