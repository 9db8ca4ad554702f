import type { UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { Revision } from '../tools/tool.js';
import type { ToolOutcome } from '../tools/tool-outcome.js';

/** The way back of an effect, or the way forth. */
export type UndoClosure = (expected: Revision) => void | ToolOutcome | Promise<void | ToolOutcome>;

/** The report of an undo history. What still runs, only the session knows. */
export type HistoryReport = Omit<UndoReport, 'unknown'>;

/** One effect of a turn. */
export interface UndoEntry extends UndoItem {
  /**
   * The tool's way to take it back, if it gave one; bounded in time by the session. Throws, or answers an outcome that
   * is no success, when the effect stays: a `conflict` where it would overwrite a later edit of the user.
   */
  readonly revert?: UndoClosure;
  /** The tool's way to do it again, if it gave one. */
  readonly reapply?: UndoClosure;
  /** True when the effect lasts: neither `revert` nor anything else takes all of it back. */
  readonly irreversible?: boolean;
}

/** A committed turn, to be taken back and done again as one. */
export interface CommittedEffects {
  /** @param expected the domain's revision as the session last left it; see {@link UndoTransaction.rollback} */
  revert(expected: Revision): Promise<HistoryReport>;
  /** Absent when the turn cannot be done again. */
  reapply?(expected: Revision): Promise<HistoryReport>;
  /** Effects that `revert` will not take back, beside those recorded as `irreversible`. */
  readonly irreversible?: readonly UndoItem[];
}

/** The transaction of one turn: everything recorded is committed once, or rolled back once. */
export interface UndoTransaction {
  /**
   * Whether a transaction without entries can be dropped: neither `commit` nor `rollback` is called then, and the turn
   * ends without waiting for either. Default false.
   */
  readonly droppable?: boolean;
  record(entry: UndoEntry): void | Promise<void>;
  commit(): Promise<CommittedEffects>;
  /**
   * Takes everything back, newest first. A failing entry never stops the others.
   *
   * @param expected the revision as this turn last left it: of the one domain that has revisions, or where several
   *   have, a JSON object of revisions by domain id
   */
  rollback(expected: Revision): Promise<HistoryReport>;
}

/** The app's undo history, or {@link UndoHistory}: opens one transaction a turn. */
export interface UndoProvider {
  /** @param label the beginning of what the user asked for */
  begin(label: string): UndoTransaction | Promise<UndoTransaction>;
}
