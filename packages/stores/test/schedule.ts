import fc from 'fast-check';

// The random schedules of agent and user edits that every adapter is tested with.

/** Numbers from which a change of the board is made. */
export interface Seed {
  readonly kind: number;
  readonly card: number;
  readonly place: number;
}

/** A part of a call. `outside`: the tool makes the change after an await, outside of `context.change`. */
export interface SchedulePart {
  readonly by: 'agent' | 'user' | 'outside';
  readonly seeds: readonly Seed[];
}

export interface ScheduleCall {
  readonly isAsync: boolean;
  readonly parts: readonly SchedulePart[];
}

export type ScheduleStep =
  | {
      readonly type: 'turn';
      readonly end: 'completed' | 'cancelled' | 'failed';
      /**
       * Whether the user reviews the effects, with the steps `decide`. Effects that are open when the next
       * turn begins are undone.
       */
      readonly isReviewed: boolean;
      readonly calls: readonly ScheduleCall[];
    }
  | { readonly type: 'edit'; readonly seeds: readonly Seed[] }
  /** `turn`: the number of a turn, from 0; null for the turn that the session offers next. */
  | { readonly type: 'undo' | 'redo'; readonly turn: number | null }
  /** A decision about the open effects of a review. A set bit selects an effect; null selects all. */
  | { readonly type: 'decide'; readonly decision: 'accept' | 'reject'; readonly effects: number | null }
  /**
   * Another page opens the session with the current store: from its whole log, from a snapshot, or from a
   * saved conversation.
   */
  | { readonly type: 'reload'; readonly from: 'log' | 'snapshot' | 'conversation' };

const seed: fc.Arbitrary<Seed> = fc.record({ kind: fc.nat(12), card: fc.nat(30), place: fc.nat(30) });
const seeds = fc.array(seed, { minLength: 1, maxLength: 3 });
const part: fc.Arbitrary<SchedulePart> = fc.record({
  by: fc.constantFrom('agent', 'agent', 'user', 'outside'),
  seeds,
});
const calls = fc.array(
  fc.record({ isAsync: fc.boolean(), parts: fc.array(part, { minLength: 1, maxLength: 4 }) }),
  { minLength: 1, maxLength: 3 },
);

const step: fc.Arbitrary<ScheduleStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('turn'),
      end: fc.constantFrom('completed', 'completed', 'completed', 'cancelled', 'failed'),
      isReviewed: fc.boolean(),
      calls,
    }),
  },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('edit'), seeds }) },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom('undo', 'undo', 'redo'),
      turn: fc.option(fc.nat(5)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('decide'),
      decision: fc.constantFrom('accept', 'reject'),
      effects: fc.option(fc.nat(7)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('reload'),
      from: fc.constantFrom('log', 'snapshot', 'conversation'),
    }),
  },
);

export const schedules: fc.Arbitrary<readonly ScheduleStep[]> = fc.array(step, {
  minLength: 2,
  maxLength: 10,
});
