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
   * Takes the effect back; absent if the tool passed no closure. The session limits its time. If the effect stays, it rejects, or resolves
   * with an outcome other than success: with `conflict` if it would overwrite a later edit of the user.
   */
  readonly revert?: UndoClosure;
  /** Makes the effect again; absent if the tool passed no closure for it. */
  readonly reapply?: UndoClosure;
  /** True if a part of the effect cannot be taken back, even by `revert`. */
  readonly irreversible?: boolean;
  /**
   * The place of the call among the calls of its turn, 0 or more: a lower position comes first. Calls that run at the same time are recorded
   * in the order in which they end.
   */
  readonly position?: number;
  /** True if the effect is already taken back. Present only for {@link UndoProvider.restore}. */
  readonly isReverted?: boolean;
  /** @internal */
  readonly [takenBack]?: () => boolean | undefined;
}

/**
 * A committed turn. Its effects are taken back together, and made again together. A history with `groups` also moves the effects of some
 * calls alone.
 */
export interface CommittedEffects {
  /**
   * Takes the effects back, newest first. A second call takes back the effects that remained after failures.
   *
   * @param expected the domain's revision after the session's last change; see {@link UndoTransaction.rollback}
   * @param callIds the calls whose effects are meant, and which the report lists; absent for all calls
   */
  revert(expected: Revision, callIds?: ReadonlySet<string>): Promise<HistoryReport>;
  /** Makes the effects again, oldest first; absent if the turn cannot be redone. The parameters are as for `revert`. */
  readonly reapply?:
    ((expected: Revision, callIds?: ReadonlySet<string>) => Promise<HistoryReport>) | undefined;
  /** Effects that `revert` will not take back, in addition to the effects recorded as `irreversible`. */
  readonly irreversible?: readonly UndoItem[] | undefined;
}

/** The transaction of one turn. Everything recorded is committed once, or rolled back once. */
export interface UndoTransaction {
  /**
   * Whether a transaction without entries can be dropped. Then neither `commit` nor `rollback` is called, and the turn ends without waiting
   * for either. Default false.
   */
  readonly droppable?: boolean | undefined;
  /** Records the effect of a call that has ended. Rejects if it cannot; then the turn fails with `undo-failed`. */
  record(entry: UndoEntry): void | Promise<void>;
  /** Makes the effects final. Rejects if it cannot; then the turn is rolled back and fails with `undo-failed`. */
  commit(): Promise<CommittedEffects>;
  /**
   * Takes everything back, newest first. If an entry fails, the others are still taken back.
   *
   * @param expected the revision after this turn's last change. With several domains that have revisions it is a JSON object of the
   *   revisions by domain id, as a string
   */
  rollback(expected: Revision): Promise<HistoryReport>;
}

/** Marks the built-in history, which takes back only effects with closures. All copies of the package on a page share the mark. */
export const runsClosures = Symbol.for('@banister/undo-history');

/**
 * Marks the function of an entry that returns whether its effect is taken back now; undefined if the log does not have the effect. All
 * copies of the package on a page share the mark.
 */
export const takenBack: unique symbol = Symbol.for('@banister/taken-back');

/** The app's undo history, or {@link UndoHistory}. It opens one transaction per turn. */
export interface UndoProvider {
  /**
   * Whether its {@link CommittedEffects} move the effects of some calls alone, for the undo of a child turn. Without it, such an undo
   * rejects `unsupported`.
   */
  readonly groups?: boolean | undefined;
  /**
   * Opens the transaction of a turn. If it throws or rejects, the turn fails with `undo-failed`.
   *
   * @param label the first 80 characters of the user message
   */
  begin(label: string): UndoTransaction | Promise<UndoTransaction>;
  /**
   * Takes over a turn that an earlier session committed, before the first undo or redo of the turn in this session. Without this function
   * the effects of such turns are `lost`.
   *
   * @param turnId the id of the turn, as in `undoEntries`
   * @param entries the effects. `revert` and `reapply` are absent if the tool recorded no data. Either the history itself takes such an
   *   effect back, or the report leaves it out, and it counts as irreversible
   * @example
   * const history: UndoProvider = {
   *   begin: (label) => app.groups.open(label),
   *   restore: (turnId) => app.groups.find(turnId),
   * };
   */
  restore?(turnId: string, entries: readonly UndoEntry[]): CommittedEffects;
}
