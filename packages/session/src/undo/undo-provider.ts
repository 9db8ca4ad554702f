import type { UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { Revision } from '../tools/tool.js';
import type { ToolOutcome } from '../tools/tool-outcome.js';

/** Takes an effect back, or makes it again. */
export type UndoClosure = (expected: Revision) => void | ToolOutcome | Promise<void | ToolOutcome>;

/** The report of an undo history. The session adds `unknown`, the calls that still run, and `lost`. */
export type HistoryReport = Omit<UndoReport, 'lost' | 'unknown'>;

/** One effect of a turn. */
export interface UndoEntry extends UndoItem {
  /**
   * Takes the effect back; absent when the tool passed no closure. Bounded in time by the session. Rejects, or resolves to an
   * outcome other than success, when the effect stays: a `conflict` where it would overwrite a later edit of the user.
   */
  readonly revert?: UndoClosure;
  /** Makes the effect again; absent when the tool passed no closure for it. */
  readonly reapply?: UndoClosure;
  /** True when a part of the effect cannot be taken back, also after `revert`. */
  readonly irreversible?: boolean;
  /** The place of the call among those of its turn, from 0. Calls that run side by side are recorded as they end. */
  readonly position?: number;
  /** True when the effect is taken back already. Only of {@link UndoProvider.restore}. */
  readonly isReverted?: boolean;
  /** @internal */
  readonly [takenBack]?: () => boolean | undefined;
}

/** A committed turn, whose effects are taken back and made again together. */
export interface CommittedEffects {
  /**
   * Takes the effects back, newest first. A second call takes back those that are left after failures.
   *
   * @param expected the domain's revision that the session last made; see {@link UndoTransaction.rollback}
   */
  revert(expected: Revision): Promise<HistoryReport>;
  /** Makes the effects again, oldest first; absent when the turn cannot be redone. */
  readonly reapply?: ((expected: Revision) => Promise<HistoryReport>) | undefined;
  /** Effects that `revert` will not take back, beside those recorded as `irreversible`. */
  readonly irreversible?: readonly UndoItem[] | undefined;
}

/** The transaction of one turn: everything recorded is committed once, or rolled back once. */
export interface UndoTransaction {
  /**
   * Whether a transaction without entries can be dropped: neither `commit` nor `rollback` is called then, and the turn
   * ends without waiting for either. Default false.
   */
  readonly droppable?: boolean | undefined;
  /** Records the effect of a call that has ended. Rejects when it cannot: the turn fails with `undo-failed` then. */
  record(entry: UndoEntry): void | Promise<void>;
  /** Makes the effects final. Rejects when it cannot: the turn is rolled back and fails with `undo-failed` then. */
  commit(): Promise<CommittedEffects>;
  /**
   * Takes everything back, newest first. A failing entry never stops the others.
   *
   * @param expected the revision that this turn last made: that of the only domain with revisions, or for several domains the
   *   text of a JSON object of revisions by domain id
   */
  rollback(expected: Revision): Promise<HistoryReport>;
}

/** Marks the built-in history, which takes back only effects with closures; one mark for all copies of the package on a page. */
export const runsClosures = Symbol.for('@banister/undo-history');

/** Marks the function of an entry that returns whether its effect is taken back now; undefined where the log does not have it. One mark for all copies, as above. */
export const takenBack: unique symbol = Symbol.for('@banister/taken-back');

/** The app's undo history, or {@link UndoHistory}: opens one transaction a turn. */
export interface UndoProvider {
  /**
   * Opens the transaction of a turn. When it rejects, the turn fails with `undo-failed`.
   *
   * @param label the first 80 characters of the user message
   */
  begin(label: string): UndoTransaction | Promise<UndoTransaction>;
  /**
   * Takes up a turn that an earlier session committed, before the first undo or redo of it in this one. Without this function the
   * effects of such turns are `lost`.
   *
   * @param turnId the id of the turn, as in `undoEntries`
   * @param entries the effects. `revert` and `reapply` are absent where the tool recorded no data: take such an effect back by means of
   *   the history itself, or do not mention it in the report, and it counts as irreversible
   * @example
   * const history: UndoProvider = {
   *   begin: (label) => app.groups.open(label),
   *   restore: (turnId) => app.groups.find(turnId),
   * };
   */
  restore?(turnId: string, entries: readonly UndoEntry[]): CommittedEffects;
}
