import type { Clock } from '../ports/clock.js';
import { isToolOutcome, type ToolOutcome } from '../tools/tool-outcome.js';
import type { Revision, ToolUndo } from '../tools/tool.js';
import { bounded } from './bounded.js';
import type { CallChanges } from './call-changes.js';

/** The longest time of a step, in milliseconds of a clock. */
export interface StepLimit {
  readonly clock: Clock;
  readonly revertTimeoutMs: number;
}

type Direction = 'revert' | 'reapply';

/**
 * One `context.undo(…)` of a call: reverts one effect, and makes it again. Each run is bounded in time. A closure that took too
 * long may still end later: the next run waits for it, so that no two closures of a step run at once.
 */
export class EffectStep {
  private isInEffect = true;
  private running: { readonly direction: Direction; readonly end: Promise<void | ToolOutcome> } | null = null;

  constructor(
    private readonly undo: ToolUndo,
    private readonly changes: CallChanges,
    private readonly limit: StepLimit,
  ) {}

  /** Runs a closure. Does nothing where the effect already is as wanted. Rejects when the closure throws or takes too long. */
  async run(direction: Direction, expected: Revision): Promise<void | ToolOutcome> {
    const { running } = this;
    if (running?.direction === direction) return this.within(running.end, direction);
    if (running !== null)
      await this.within(
        running.end.catch(() => {}),
        running.direction,
      );
    if (this.isInEffect === (direction === 'reapply')) return undefined;
    return this.within(this.start(direction, expected), direction);
  }

  private start(direction: Direction, expected: Revision): Promise<void | ToolOutcome> {
    const work = async () => {
      const outcome = await this.changes.follow(() => this.undo[direction]?.(expected));
      if (succeeded(outcome)) this.isInEffect = direction === 'reapply';
      return outcome;
    };
    const end = work();
    const ended = () => {
      this.running = null;
    };
    this.running = { direction, end };
    end.then(ended, ended);
    return end;
  }

  private within<T>(end: Promise<T>, direction: Direction): Promise<T> {
    const { revertTimeoutMs, clock } = this.limit;
    return bounded(end, revertTimeoutMs, clock, direction === 'revert' ? 'Reverting' : 'Re-doing');
  }
}

/** True for the result of a closure that worked: a success, or a value that is no outcome. */
export function succeeded(outcome: void | ToolOutcome): boolean {
  return !isToolOutcome(outcome) || outcome.outcome === 'success';
}
