import type { UndoItem, UndoReport } from '../conversation/turn-record.js';
import { messageOf } from '../errors/to-session-error.js';
import type { Clock } from '../ports/clock.js';
import type { Revision } from '../tools/tool.js';
import { bounded } from './bounded.js';
import { asRevision, type Revisions } from './revisions.js';
import { itemOf, revertAll } from './undo-history.js';
import type { CommittedEffects, UndoEntry, UndoProvider, UndoTransaction } from './undo-provider.js';

/** The way back of a committed turn, and again forth. `left`: the revisions that the session last left behind. */
export interface CommittedHandle {
  revert(left: Revisions): Promise<UndoReport>;
  /** Absent when the turn cannot be done again. */
  reapply?(left: Revisions): Promise<UndoReport>;
}

/** What commit leaves: the effects for the record, and the way back for the undo stack. */
export interface CommittedTurn {
  readonly effects: readonly (UndoItem & { readonly irreversible: boolean })[];
  /** null without a history. */
  readonly handle: CommittedHandle | null;
}

type Step = NonNullable<UndoEntry['revert']>;

/**
 * The undo transaction of one turn, around the provider's: bounds its answers in time, keeps its report honest, and does
 * without one where the app has no history.
 */
export class TurnTransaction {
  private transaction: UndoTransaction | null = null;
  private readonly entries: UndoEntry[] = [];
  /** Effects that the provider failed to record, or has not recorded yet. */
  private readonly unrecorded = new Set<UndoEntry>();
  /** Ids of the calls whose effects are taken back. */
  private readonly takenBack = new Set<string>();
  /** Revisions as the steps of a running rollback, undo or redo left them. */
  private left: Revisions = {};
  private closed = false;

  constructor(
    private readonly provider: UndoProvider | null,
    private readonly readRevisions: () => Revisions,
    private readonly clock: Clock,
    private readonly revertTimeoutMs: number,
  ) {}

  /** Opens the provider's transaction. One that arrives after the turn's end is rolled back at once, empty. */
  async open(label: string): Promise<void> {
    const transaction = await this.provider?.begin(label);
    if (transaction === undefined) return;
    if (this.closed) await transaction.rollback(undefined);
    else this.transaction = transaction;
  }

  /** True when nothing was recorded, and no transaction of the provider has to be ended. */
  get isUntouched(): boolean {
    const { transaction, entries, unrecorded } = this;
    return entries.length === 0 && unrecorded.size === 0 && (transaction?.droppable ?? true);
  }

  /** Ends an untouched transaction. */
  discard(): UndoReport {
    this.closed = true;
    return { done: [], failed: [], irreversible: [] };
  }

  /**
   * Records an effect. Rejects when the provider cannot; then a rollback takes the effect back by itself.
   *
   * @param domain the domain that the effect changed
   */
  async record(entry: UndoEntry, domain: string): Promise<void> {
    const timed: UndoEntry = {
      ...entry,
      ...(entry.revert ? { revert: this.timed(entry.revert, domain, 'Reverting') } : {}),
      ...(entry.reapply ? { reapply: this.timed(entry.reapply, domain, 'Re-doing') } : {}),
    };
    this.unrecorded.add(timed);
    await this.transaction?.record(timed);
    this.unrecorded.delete(timed);
    this.entries.push(timed);
  }

  /** Makes the effects final. Rejects when the provider throws, or does not answer. */
  async commit(): Promise<CommittedTurn> {
    const handle =
      this.transaction === null || this.isUntouched
        ? null
        : await bounded(this.transaction.commit(), this.revertTimeoutMs, this.clock, 'The undo history');
    this.closed = true;
    const lasting = new Set((handle?.irreversible ?? []).map((item) => item.toolCallId));
    // What the provider does not know of, it cannot take back.
    const isLasting = (entry: UndoEntry) =>
      handle === null ||
      entry.irreversible === true ||
      this.unrecorded.has(entry) ||
      lasting.has(entry.toolCallId);
    const effects = [...this.entries, ...this.unrecorded].map((entry) => ({
      ...itemOf(entry),
      irreversible: isLasting(entry),
    }));
    return { effects, handle: handle && this.wrapped(handle) };
  }

  /**
   * Takes everything back, as far as it goes. Never rejects.
   *
   * @param cut effects of calls that were still running when the turn ended: nobody knows yet what they did
   */
  async rollback(left: Revisions, cut: readonly UndoItem[]): Promise<UndoReport> {
    this.closed = true;
    this.left = left;
    // What the provider does not know of at this moment: while it rolls back, a late `record` may still end.
    const pending = [...this.unrecorded];
    const report = this.transaction
      ? await this.takeBack(this.transaction.rollback.bind(this.transaction), this.left)
      : { done: [], failed: [], irreversible: this.entries.map(itemOf) };
    const known = new Set(mentionedIn(report));
    const others = pending.filter((entry) => !known.has(entry.toolCallId));
    const unrecorded = await revertAll(others, new Set(), undefined);
    const running = cut.map((item) => ({
      ...itemOf(item),
      reason: 'It was still running when the turn ended.',
    }));
    return {
      done: [...unrecorded.done, ...report.done],
      failed: [...unrecorded.failed, ...report.failed, ...running],
      irreversible: [...unrecorded.irreversible, ...report.irreversible],
    };
  }

  /**
   * A step that is bounded in time, and gets the revision of its own domain as the session last left it: also after
   * the steps before it moved that on. Where somebody else changed the domain, it stays as it was, for the step to see.
   */
  private timed(step: Step, domain: string, what: string): Step {
    return async () => {
      const own = this.readRevisions()[domain] === this.left[domain];
      // An async function: a step that throws at once must not look different from one that rejects.
      const run = async () => step(this.left[domain]);
      try {
        return await bounded(run(), this.revertTimeoutMs, this.clock, what);
      } finally {
        const now = this.readRevisions()[domain];
        if (own && now !== undefined) this.left = { ...this.left, [domain]: now };
      }
    };
  }

  private wrapped(handle: CommittedEffects): CommittedHandle {
    return {
      revert: (left) => this.takeBack((expected) => handle.revert(expected), left),
      ...(handle.reapply
        ? { reapply: (left) => this.doAgain((expected) => handle.reapply!(expected), left) }
        : {}),
    };
  }

  /**
   * Rolls back or undoes, and makes the provider's report whole: an effect that it does not mention was not taken back,
   * and a provider that throws or hangs has taken back nothing that anybody could rely on.
   */
  private async takeBack(
    run: (expected: Revision) => Promise<UndoReport>,
    left: Revisions,
  ): Promise<UndoReport> {
    const open = this.entries.filter((entry) => !this.takenBack.has(entry.toolCallId));
    const report = await this.reportOf(run, left, open);
    const mentioned = new Set(mentionedIn(report));
    const forgotten = open.filter((entry) => !mentioned.has(entry.toolCallId)).map(itemOf);
    for (const item of report.done) this.takenBack.add(item.toolCallId);
    return forgotten.length === 0
      ? report
      : { ...report, irreversible: [...report.irreversible, ...forgotten] };
  }

  private async doAgain(
    run: (expected: Revision) => Promise<UndoReport>,
    left: Revisions,
  ): Promise<UndoReport> {
    const report = await this.reportOf(run, left, this.entries);
    for (const item of report.done) this.takenBack.delete(item.toolCallId);
    return report;
  }

  private async reportOf(
    run: (expected: Revision) => Promise<UndoReport>,
    left: Revisions,
    entries: readonly UndoEntry[],
  ): Promise<UndoReport> {
    this.left = left;
    try {
      // Each revert has its own bound; this one is for a provider that hangs by itself.
      const limit = this.revertTimeoutMs * (this.entries.length + 1);
      const report = await bounded(
        (async () => run(asRevision(left)))(),
        limit,
        this.clock,
        'The undo history',
      );
      const { done, failed, irreversible } = report;
      return { done: [...done], failed: [...failed], irreversible: [...irreversible] };
    } catch (error) {
      const reason = messageOf(error);
      return { done: [], failed: entries.map((entry) => ({ ...itemOf(entry), reason })), irreversible: [] };
    }
  }
}

function mentionedIn({ done, failed, irreversible }: UndoReport): readonly string[] {
  return [...done, ...failed, ...irreversible].map((item) => item.toolCallId);
}
