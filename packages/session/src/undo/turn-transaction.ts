import type { UndoItem, UndoReport } from '../conversation/turn-record.js';
import { messageOf } from '../errors/to-session-error.js';
import type { Clock } from '../ports/clock.js';
import type { Revision } from '../tools/tool.js';
import { bounded } from './bounded.js';
import { itemOf } from './undo-history.js';
import type { CommittedEffects, UndoEntry, UndoProvider, UndoTransaction } from './undo-provider.js';

/** What commit leaves: the effects for the record, and the way back for the undo stack. */
export interface CommittedTurn {
  readonly effects: readonly (UndoItem & { readonly irreversible: boolean })[];
  readonly handle: CommittedEffects | null;
}

/**
 * The undo transaction of one turn, around the provider's: bounds its answers in time, keeps its report honest, and does
 * without one where the app has no history.
 */
export class TurnTransaction {
  private transaction: UndoTransaction | null = null;
  private readonly entries: UndoEntry[] = [];
  /** Ids of the calls whose effects are taken back. */
  private readonly takenBack = new Set<string>();
  private closed = false;

  constructor(
    private readonly provider: UndoProvider | undefined,
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

  /** True when there is no provider's transaction to end, and nothing was recorded. */
  get isUntouched(): boolean {
    return this.transaction === null && this.entries.length === 0;
  }

  /** Ends an untouched transaction. */
  discard(): UndoReport {
    this.closed = true;
    return { done: [], failed: [], irreversible: [] };
  }

  /** Records an effect. When the provider cannot, the effect is still in the report. */
  async record(entry: UndoEntry): Promise<void> {
    const timed: UndoEntry = {
      ...entry,
      ...(entry.revert ? { revert: this.timed(entry.revert, 'Reverting') } : {}),
      ...(entry.reapply ? { reapply: this.timed(entry.reapply, 'Re-doing') } : {}),
    };
    this.entries.push(timed);
    await this.transaction?.record(timed);
  }

  /** Makes the effects final. Rejects when the provider throws, or does not answer. */
  async commit(): Promise<CommittedTurn> {
    const handle = this.transaction
      ? await bounded(this.transaction.commit(), this.revertTimeoutMs, this.clock, 'The undo history')
      : null;
    this.closed = true;
    const lasting = new Set((handle?.irreversible ?? []).map((item) => item.toolCallId));
    const effects = this.entries.map((entry) => ({
      ...itemOf(entry),
      irreversible: handle === null || entry.irreversible === true || lasting.has(entry.toolCallId),
    }));
    return { effects, handle: handle && this.timedHandle(handle) };
  }

  /**
   * Takes everything back, as far as it goes. Never rejects.
   *
   * @param cut effects of calls that were still running when the turn ended: nobody knows yet what they did
   */
  async rollback(expected: Revision, cut: readonly UndoItem[]): Promise<UndoReport> {
    this.closed = true;
    const report = this.transaction
      ? await this.takeBack(this.transaction.rollback.bind(this.transaction), expected)
      : { done: [], failed: [], irreversible: this.entries.map(itemOf) };
    const running = cut.map((item) => ({
      ...itemOf(item),
      reason: 'It was still running when the turn ended.',
    }));
    return running.length === 0 ? report : { ...report, failed: [...report.failed, ...running] };
  }

  private timed(step: NonNullable<UndoEntry['revert']>, what: string): NonNullable<UndoEntry['revert']> {
    // An async function: a step that throws at once must not look different from one that rejects.
    return async (expected) =>
      bounded((async () => step(expected))(), this.revertTimeoutMs, this.clock, what);
  }

  private timedHandle({ revert, reapply, irreversible }: CommittedEffects): CommittedEffects {
    return {
      revert: (expected) => this.takeBack(revert, expected),
      ...(reapply ? { reapply: (expected) => this.doAgain(reapply, expected) } : {}),
      ...(irreversible ? { irreversible } : {}),
    };
  }

  /**
   * Rolls back or undoes, and makes the provider's report whole: an effect that it does not mention was not taken back,
   * and a provider that throws or hangs has taken back nothing that anybody could rely on.
   */
  private async takeBack(
    run: (expected: Revision) => Promise<UndoReport>,
    expected: Revision,
  ): Promise<UndoReport> {
    const open = this.entries.filter((entry) => !this.takenBack.has(entry.toolCallId));
    const report = await this.reportOf(run, expected, open);
    const mentioned = new Set(
      [...report.done, ...report.failed, ...report.irreversible].map((item) => item.toolCallId),
    );
    const forgotten = open.filter((entry) => !mentioned.has(entry.toolCallId)).map(itemOf);
    for (const item of report.done) this.takenBack.add(item.toolCallId);
    return forgotten.length === 0
      ? report
      : { ...report, irreversible: [...report.irreversible, ...forgotten] };
  }

  private async doAgain(
    run: (expected: Revision) => Promise<UndoReport>,
    expected: Revision,
  ): Promise<UndoReport> {
    const report = await this.reportOf(run, expected, this.entries);
    for (const item of report.done) this.takenBack.delete(item.toolCallId);
    return report;
  }

  private async reportOf(
    run: (expected: Revision) => Promise<UndoReport>,
    expected: Revision,
    entries: readonly UndoEntry[],
  ): Promise<UndoReport> {
    try {
      // Each revert has its own bound; this one is for a provider that hangs by itself.
      const limit = this.revertTimeoutMs * (this.entries.length + 1);
      const report = await bounded((async () => run(expected))(), limit, this.clock, 'The undo history');
      const { done, failed, irreversible } = report;
      return { done: [...done], failed: [...failed], irreversible: [...irreversible] };
    } catch (error) {
      const reason = messageOf(error);
      return { done: [], failed: entries.map((entry) => ({ ...itemOf(entry), reason })), irreversible: [] };
    }
  }
}
