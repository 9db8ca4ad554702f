import type { JsonValue } from '@banister/provider';
import type { Ports } from '../ports/ports.js';
import type { StepOutcome } from '../operations/tool-operations.js';
import { isToolOutcome, type ToolOutcome } from '../tools/tool-outcome.js';
import type { Revision } from '../tools/tool.js';
import { bounded } from './bounded.js';
import type { CallChanges } from './call-changes.js';
import type { StepCode } from './step-code.js';

/** The time limit of a step, in milliseconds, with the clock that measures it, and the validator of the step's data. */
export interface StepLimit extends Pick<Ports, 'clock' | 'validator'> {
  readonly revertTimeoutMs: number;
}

export type Direction = 'revert' | 'reapply';

/** The record of a step in the log: its state, and the function that emits operations about it. */
export interface StepRecord {
  /** Unique across all sessions. */
  readonly key: string;
  /** Whether the effect is in place. */
  readonly isInEffect: boolean;
  /** The number of times that the effect was taken back or made again. */
  readonly moves: number;
  /**
   * Emits the operation about the end of an attempt.
   *
   * @param data the new data of the effect, if the attempt replaced it
   * @param isLate whether the attempt ended after its time limit
   */
  ended(direction: Direction, outcome: StepOutcome, data?: JsonValue, isLate?: boolean): void;
}

/**
 * One effect of a call: takes it back, and makes it again. Each run has a time limit. Code that exceeded its limit may still end later. The
 * next run waits for that, so that the code of a step never runs twice at the same time.
 */
export class EffectStep {
  isInEffect: boolean;
  private moves: number;
  private running: { readonly direction: Direction; readonly end: Promise<void | ToolOutcome> } | null = null;
  private controller: AbortController | null = null;

  constructor(
    private readonly code: StepCode,
    private readonly record: StepRecord,
    private readonly changes: CallChanges,
    private readonly limit: StepLimit,
  ) {
    this.isInEffect = record.isInEffect;
    this.moves = record.moves;
  }

  get isRedoable(): boolean {
    return this.code.reapply !== undefined;
  }

  /** Runs the code. Does nothing if the effect is already taken back, or made again. Rejects when the code throws or takes too long. */
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
    const controller = (this.controller = new AbortController());
    const idempotencyKey = `${this.record.key}-${direction}-${this.moves}`;
    let data: JsonValue | undefined;
    const replaced = (next: JsonValue) => void (data = next);
    const run = { expected, signal: controller.signal, idempotencyKey, replaced, ports: this.limit };
    const work = async () => this.changes.follow(() => this.code[direction]?.(run));
    const end = work().then(
      (outcome) => {
        this.ended(direction, stepOutcome(outcome), data);
        return outcome;
      },
      (error: unknown) => {
        this.ended(direction, 'thrown', data);
        throw error;
      },
    );
    this.running = { direction, end };
    return end;
  }

  private ended(direction: Direction, outcome: StepOutcome, data: JsonValue | undefined): void {
    this.running = null;
    if (outcome === 'success') {
      this.isInEffect = direction === 'reapply';
      this.moves++;
    }
    this.record.ended(direction, outcome, data, this.controller?.signal.aborted);
  }

  private within<T>(end: Promise<T>, direction: Direction): Promise<T> {
    const { revertTimeoutMs, clock } = this.limit;
    return bounded(end, revertTimeoutMs, clock, direction === 'revert' ? 'Reverting' : 'Re-doing', () => {
      // The code has ended, and the promise that waits for it is about to settle.
      if (this.running === null) return false;
      this.controller?.abort();
      this.record.ended(direction, 'timed-out');
      return true;
    });
  }
}

/**
 * Returns true for a result of code that worked: a success, or a value that is not an outcome. `stop` is a success too, because a revert
 * runs outside of a turn.
 */
export function succeeded(outcome: void | ToolOutcome): boolean {
  return stepOutcome(outcome) === 'success';
}

function stepOutcome(outcome: void | ToolOutcome): StepOutcome {
  return !isToolOutcome(outcome) || outcome.outcome === 'stop' ? 'success' : outcome.outcome;
}
