import type { JsonValue } from '@banister/provider';
import type { FailureReason } from '../conversation/failure-reason.js';
import type { UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { Moved } from '../operations/moved.js';
import type { TurnEnding } from '../operations/turn-operations.js';

/** One change of an effect under review, as its tool recorded it. */
export interface ReviewedChange {
  /** The change as a sentence for the user. */
  readonly description: string;
  /** The changed value before and after; each is absent if the tool recorded none. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** An effect that waits for the user's decision: the effect of one call, with all its changes. */
export interface ReviewedEffect extends UndoItem {
  /** The changes in the order in which they were recorded. */
  readonly changes: readonly ReviewedChange[];
  /**
   * Ids of the calls whose effects depend on this effect, in order. An effect depends on it if it is later and has an overlapping path.
   * Without a path on one of the two sides, every later effect in the same domain depends on it. Effects that depend on a dependent effect
   * count too. If the user rejects this effect, they are taken back too, even if they were accepted.
   */
  readonly dependents: readonly string[];
  /** Why the effect could not be taken back, for the user; absent if that was not tried. */
  readonly conflict?: string;
  /** The code and the values of the reason, if it is a reason of this library. */
  readonly because?: FailureReason;
  /** True if this session cannot take the effect back any more, so it can only be accepted. */
  readonly lost?: true;
}

/**
 * The rounds of a turn are over, and the user decides about its effects, which are in place. The operation occurs again if the turn was
 * interrupted, or if an aborted call recorded an effect.
 */
export interface ReviewOpened {
  readonly type: 'reviewOpened';
  /** How the turn ends after all effects are decided. */
  readonly ending: TurnEnding;
  /** The effects without a decision, in the order of their calls. */
  readonly effects: readonly ReviewedEffect[];
}

/** Effects under review are about to be taken back. */
export interface RejectStarted {
  readonly type: 'rejectStarted';
  /** Ids of the calls whose effects are taken back, newest first: the rejected effects, and the effects that depend on them. */
  readonly ids: readonly string[];
}

/** Effects under review were accepted. */
export interface ReviewAccepted {
  readonly type: 'reviewResolved';
  readonly decision: 'accepted';
  /** Ids of the calls of these effects. */
  readonly ids: readonly string[];
}

/** The effects that `rejectStarted` names were taken back, except for the failures in the report. */
export interface ReviewRejected {
  readonly type: 'reviewResolved';
  readonly decision: 'rejected';
  /** As in `rejectStarted`. */
  readonly ids: readonly string[];
  /** The report. Effects in the lists `failed` and `lost` stay open. */
  readonly report: UndoReport;
  /** The revisions before and after, of the domains that changed. */
  readonly moved: Moved;
}

export type ReviewOperation = ReviewOpened | RejectStarted | ReviewAccepted | ReviewRejected;
