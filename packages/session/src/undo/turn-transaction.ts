import type { LateSettlement, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { Clock } from '../ports/clock.js';
import { messageOf } from '../errors/to-session-error.js';
import { defined } from '../json/defined.js';
import { bounded } from './bounded.js';
import { succeeded, type StepLimit } from './effect-step.js';
import type { CallChanges } from './call-changes.js';
import { OwnChanges } from './own-changes.js';
import { asRevision, type Revisions } from './revisions.js';
import { itemOf, revertAll } from './undo-history.js';
import type {
  CommittedEffects,
  HistoryReport,
  UndoEntry,
  UndoProvider,
  UndoClosure,
  UndoTransaction,
} from './undo-provider.js';

/** An undo, a redo or a rollback that has ended. */
export interface TakenBack {
  readonly report: UndoReport;
  /** The revisions with only the session's own changes: a domain that has another one now was changed by the user. */
  readonly known: Revisions;
}

/** Reverts and reapplies a committed turn. `expected`: the revisions that the session last made. */
export interface CommittedHandle {
  revert(expected: Revisions): Promise<TakenBack>;
  /** Absent when the turn cannot be redone. */
  reapply?(expected: Revisions): Promise<TakenBack>;
}

/** The result of a commit: the effects for the record, and the handle for the undo stack. */
export interface CommittedTurn {
  readonly effects: readonly (UndoItem & { readonly irreversible: boolean })[];
  /** Calls that were still running. */
  readonly unknown: readonly UndoItem[];
  /** null when no history recorded an effect. */
  readonly handle: CommittedHandle | null;
}

/** The effects of one call, as one entry, and the parameters of their closures. */
export interface CallEffects {
  readonly entry: UndoEntry;
  /** The domain that the call changed. */
  readonly domain: string;
  readonly changes: CallChanges;
  /** The number of closures that the entry runs; each is bounded in time by itself. */
  readonly steps: number;
}

/**
 * The undo transaction of one turn. It wraps the provider's transaction: bounds its calls in time, and completes its report. Where
 * the app has no history, it records the effects for the report only.
 */
export class TurnTransaction {
  private transaction: UndoTransaction | null = null;
  private readonly entries: UndoEntry[] = [];
  /** Effects that the provider failed to record, is recording, or never gets since their call was cut. */
  private readonly unrecorded = new Set<UndoEntry>();
  /** Effects of calls that were cut, which were taken back while the turn ran. */
  private readonly revertedLate: UndoItem[] = [];
  /** Ids of the calls whose effects were taken back. */
  private readonly takenBack = new Set<string>();
  /** The changes of the last rollback, undo or redo; null before the first. */
  private changes: OwnChanges | null = null;
  /** The number of closures that all entries run. */
  private steps = 0;
  private closed = false;
  /** Stops the timers of effects that the provider is recording. */
  private readonly recordTimers = new Set<() => void>();

  /** @param running calls that may change something and have not settled */
  constructor(
    private readonly provider: UndoProvider | null,
    private readonly readRevisions: () => Revisions,
    private readonly limit: StepLimit,
    private readonly running: ReadonlyMap<string, UndoItem>,
  ) {}

  /** Opens the provider's transaction. When the turn ends first, the transaction, which is empty, is rolled back at once. */
  async open(label: string): Promise<void> {
    const transaction = await this.provider?.begin(label);
    if (transaction === undefined) return;
    for (const method of ['record', 'commit', 'rollback'] as const)
      if (typeof transaction?.[method] !== 'function')
        throw new Error(`its transaction has no function ${method}`);
    if (this.closed) await transaction.rollback(undefined);
    else this.transaction = transaction;
  }

  /** True when nothing was recorded, nothing runs, and no transaction of the provider has to be ended. */
  get isUntouched(): boolean {
    return this.isEmpty && this.running.size === 0 && this.revertedLate.length === 0;
  }

  private get isEmpty(): boolean {
    const { transaction, entries, unrecorded } = this;
    const isDroppable = transaction === null || transaction.droppable === true;
    return isDroppable && entries.length === 0 && unrecorded.size === 0;
  }

  /** Ends an untouched transaction. */
  discard(): UndoReport {
    this.close();
    return this.soFar();
  }

  /** Returns the report of a turn that ends now: effects taken back, effects that stay, and calls that still run. */
  soFar(): UndoReport {
    return {
      done: [...this.revertedLate],
      failed: [],
      irreversible: [...this.entries, ...this.unrecorded].map(itemOf),
      unknown: this.unknown(),
    };
  }

  /** Records the effects of a call. Rejects when the provider fails to; the rollback then reverts them without the provider. */
  async record(effects: CallEffects): Promise<void> {
    const entry = this.followed(effects);
    this.unrecorded.add(entry);
    const recorded = this.transaction?.record(entry);
    if (recorded) await bounded(recorded, this.limit.revertTimeoutMs, this.recordClock, 'The undo history');
    this.unrecorded.delete(entry);
    this.entries.push(entry);
  }

  /** A clock whose timers the end of the transaction stops: a turn that was aborted waits for no record. */
  private readonly recordClock: Pick<Clock, 'schedule'> = {
    schedule: (callback, ms) => {
      const stopTimer = this.limit.clock.schedule(callback, ms);
      const stop = () => {
        this.recordTimers.delete(stop);
        stopTimer();
      };
      this.recordTimers.add(stop);
      return stop;
    },
  };

  private close(): void {
    this.closed = true;
    for (const stop of this.recordTimers) stop();
  }

  /**
   * Takes back the effects of a call that was cut, and keeps the result for the report of the turn, if that still runs.
   *
   * @returns the effect's fate, and the revisions before and after
   */
  async compensate(
    effects: CallEffects,
  ): Promise<{ effect: LateSettlement['effect']; before: Revisions; after: Revisions }> {
    const { entry, domain } = effects;
    const before = this.readRevisions();
    const own = new OwnChanges(this.readRevisions, before);
    let effect: LateSettlement['effect'] = 'irreversible';
    if (entry.revert) {
      const outcome = await own.step(entry.revert, domain, effects.changes).then(succeeded, () => false);
      if (!outcome) effect = 'revert-failed';
      else if (!entry.irreversible) effect = 'reverted';
    }
    if (effect === 'reverted') this.revertedLate.push(itemOf(entry));
    else this.unrecorded.add(this.followed(effects));
    return { effect, before, after: own.known };
  }

  /** Makes the effects final. Rejects when the provider throws, or does not answer in time. */
  async commit(): Promise<CommittedTurn> {
    const { clock, revertTimeoutMs } = this.limit;
    const handle =
      this.transaction === null || this.isEmpty
        ? null
        : await bounded(this.transaction.commit(), revertTimeoutMs, clock, 'The undo history');
    if (handle !== null && typeof handle?.revert !== 'function')
      throw new Error('the undo history gave no function revert');
    this.close();
    const irreversible = new Set((handle?.irreversible ?? []).map((item) => item.toolCallId));
    // The provider cannot take back an effect that it did not record.
    const isIrreversible = (entry: UndoEntry) =>
      handle === null ||
      entry.irreversible === true ||
      this.unrecorded.has(entry) ||
      irreversible.has(entry.toolCallId);
    const effects = [...this.entries, ...this.unrecorded].map((entry) => ({
      ...itemOf(entry),
      irreversible: isIrreversible(entry),
    }));
    return { effects, unknown: this.unknown(), handle: handle && this.wrapped(handle) };
  }

  /** Takes all effects back. Never rejects: the report lists the effects that stay. */
  async rollback(expected: Revisions): Promise<TakenBack> {
    this.close();
    const changes = this.follow(expected);
    const unknown = this.unknown();
    // The effects that the provider has not recorded now: while it rolls back, a late `record` may still end.
    const pending = [...this.unrecorded];
    const report = this.transaction
      ? await this.takeBack(this.transaction.rollback.bind(this.transaction), changes)
      : { done: [], failed: [], irreversible: this.entries.map(itemOf) };
    const mentioned = new Set(mentionedIn(report));
    const others = pending.filter((entry) => !mentioned.has(entry.toolCallId));
    const unrecorded = await revertAll(others, new Set(), undefined);
    return {
      report: {
        done: [...unrecorded.done, ...this.revertedLate, ...report.done],
        failed: [...unrecorded.failed, ...report.failed],
        irreversible: [...unrecorded.irreversible, ...report.irreversible],
        unknown,
      },
      known: changes.known,
    };
  }

  private unknown(): readonly UndoItem[] {
    return [...this.running.values()].map(itemOf);
  }

  /** Returns the entry with closures that run as steps of `changes`. */
  private followed({ entry, domain, changes, steps }: CallEffects): UndoEntry {
    const followed =
      (step: UndoClosure): UndoClosure =>
      () =>
        (this.changes ?? this.follow({})).step(step, domain, changes);
    this.steps += steps;
    const { revert, reapply } = entry;
    return defined({
      ...entry,
      revert: revert && followed(revert),
      reapply: reapply && followed(reapply),
    });
  }

  private wrapped(handle: CommittedEffects): CommittedHandle {
    const whole = (report: HistoryReport, { known }: OwnChanges): TakenBack => ({
      report: { ...report, unknown: this.unknown() },
      known,
    });
    return {
      revert: async (revisions) => {
        const changes = this.follow(revisions);
        const revert: UndoRun = (expected) => handle.revert(expected);
        return whole(await this.takeBack(revert, changes, [...this.unrecorded]), changes);
      },
      reapply:
        handle.reapply &&
        (async (revisions) => {
          const changes = this.follow(revisions);
          return whole(await this.doAgain((expected) => handle.reapply!(expected), changes), changes);
        }),
    };
  }

  /** Starts the record of own changes for an undo, a redo or a rollback. */
  private follow(expected: Revisions): OwnChanges {
    this.changes = new OwnChanges(this.readRevisions, expected);
    return this.changes;
  }

  /**
   * Rolls back or undoes, and completes the provider's report: an effect that it does not mention counts as not taken back; when
   * the provider throws or hangs, all effects count as failed.
   *
   * @param unrecorded effects that the provider never got
   */
  private async takeBack(
    run: UndoRun,
    changes: OwnChanges,
    unrecorded: readonly UndoEntry[] = [],
  ): Promise<HistoryReport> {
    const open = this.entries.filter((entry) => !this.takenBack.has(entry.toolCallId));
    const report = await this.reportOf(run, changes, open);
    const mentioned = new Set(mentionedIn(report));
    const forgotten = [...open, ...unrecorded]
      .filter((entry) => !mentioned.has(entry.toolCallId))
      .map(itemOf);
    for (const item of report.done) this.takenBack.add(item.toolCallId);
    return forgotten.length === 0
      ? report
      : { ...report, irreversible: [...report.irreversible, ...forgotten] };
  }

  private async doAgain(run: UndoRun, changes: OwnChanges): Promise<HistoryReport> {
    const open = this.entries.filter((entry) => this.takenBack.has(entry.toolCallId));
    const report = await this.reportOf(run, changes, open);
    for (const item of report.done) this.takenBack.delete(item.toolCallId);
    return report;
  }

  private async reportOf(
    run: UndoRun,
    changes: OwnChanges,
    entries: readonly UndoEntry[],
  ): Promise<HistoryReport> {
    const { clock, revertTimeoutMs } = this.limit;
    try {
      // Each step is bounded by itself; this bound is for a provider that hangs between steps.
      const ms = revertTimeoutMs * (this.steps + 1);
      const running = changes.start(async () => run(asRevision(changes.expected)));
      return readReport(await bounded(running, ms, clock, 'The undo history'));
    } catch (error) {
      const reason = messageOf(error);
      return { done: [], failed: entries.map((entry) => ({ ...itemOf(entry), reason })), irreversible: [] };
    }
  }
}

type UndoRun = (expected: ReturnType<typeof asRevision>) => Promise<HistoryReport>;

/** A copy as JSON: a provider may report its own entries, closures included. Throws for an item whose fields are no texts. */
function readReport({ done, failed, irreversible }: HistoryReport): HistoryReport {
  return {
    done: done.map(readItem),
    failed: failed.map((item) => ({ ...readItem(item), reason: messageOf(item.reason) })),
    irreversible: irreversible.map(readItem),
  };
}

function readItem(item: UndoItem): UndoItem {
  const read = itemOf(item);
  for (const [field, text] of Object.entries(read))
    if (typeof text !== 'string')
      throw new Error(`The undo history reported an effect whose ${field} is no text`);
  return read;
}

function mentionedIn({ done, failed, irreversible }: HistoryReport): readonly string[] {
  return [...done, ...failed, ...irreversible].map((item) => item.toolCallId);
}
