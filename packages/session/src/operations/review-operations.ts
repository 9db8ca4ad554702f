import type { FailureReason } from '../conversation/failure-reason.js';
import type { UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { JsonValue } from '../json/json.js';
import type { Moved } from './moved.js';
import type { TurnEnding } from './turn-operations.js';

/** One change of an effect that the user reviews, as its tool recorded it. */
export interface ReviewedChange {
  /** The change in words for the user. */
  readonly description: string;
  /** The changed value before and after; each is absent where the tool recorded none. */
  readonly before?: JsonValue;
  readonly after?: JsonValue;
}

/** An effect that waits for the user's decision: that of one call, with all its changes. */
export interface ReviewedEffect extends UndoItem {
  /** In order of recording. */
  readonly changes: readonly ReviewedChange[];
  /**
   * Ids of the calls whose effects depend on this one, in order: later ones on an overlapping path, or of the same domain where one of the two
   * has no path, and those that depend on them. Rejecting the effect takes them back as well, also where they were accepted.
   */
  readonly dependents: readonly string[];
  /** The reason for which the effect could not be taken back, for the user; absent where that was not tried. */
  readonly conflict?: string;
  /** Where that reason is one of this library: its code and its values. */
  readonly because?: FailureReason;
  /** True where this session cannot take the effect back any more: it can only be accepted. */
  readonly lost?: true;
}

/** The rounds of a turn are over, and the user decides about its effects, which are in place. It comes again where the turn was interrupted, and with an effect of a call that was cut. */
export interface ReviewOpened {
  readonly type: 'reviewOpened';
  /** The way in which the turn ends when all effects are decided. */
  readonly ending: TurnEnding;
  /** Those without a decision, in the order of their calls. */
  readonly effects: readonly ReviewedEffect[];
}

/** Effects under review are about to be taken back. */
export interface RejectStarted {
  readonly type: 'rejectStarted';
  /** Ids of their calls, the newest first: those that were rejected, and those that depend on them. */
  readonly ids: readonly string[];
}

/** Effects under review were accepted. */
export interface ReviewAccepted {
  readonly type: 'reviewResolved';
  readonly decision: 'accepted';
  /** Ids of their calls. */
  readonly ids: readonly string[];
}

/** The effects that `rejectStarted` names were taken back, as far as the report says. */
export interface ReviewRejected {
  readonly type: 'reviewResolved';
  readonly decision: 'rejected';
  /** As in `rejectStarted`. */
  readonly ids: readonly string[];
  /** Effects in the lists `failed` and `lost` stay open. */
  readonly report: UndoReport;
  /** The revisions before and after, of the domains that changed. */
  readonly moved: Moved;
}

export type ReviewOperation = ReviewOpened | RejectStarted | ReviewAccepted | ReviewRejected;
