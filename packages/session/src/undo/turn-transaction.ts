import type { LateSettlement, UndoItem, UndoReport } from '../conversation/turn-record.js';
import { messageOf } from '../errors/to-session-error.js';
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
  /** The revisions as the session knows them: where a domain is at another one, the user changed it meanwhile. */
  readonly known: Revisions;
}

/** The way back of a committed turn, and again forth. `left`: the revisions that the session last left behind. */
export interface CommittedHandle {
  revert(left: Revisions): Promise<TakenBack>;
  /** Absent when the turn cannot be done again. */
  reapply?(left: Revisions): Promise<TakenBack>;
}

/** The result of a commit: the effects for the record, and the way back for the undo stack. */
export interface CommittedTurn {
  readonly effects: readonly (UndoItem & { readonly irreversible: boolean })[];
  /** Calls that were still running. */
  readonly unknown: readonly UndoItem[];
  /** null without a history. */
  readonly handle: CommittedHandle | null;
}

/** The effects of one call, with all that its steps need. */
export interface CallEffects {
  readonly entry: UndoEntry;
  /** The domain that the call changed. */
  readonly domain: string;
  readonly changes: CallChanges;
  /** How many closures the entry runs; each has its own time. */
  readonly steps: number;
}

/**
 * The undo transaction of one turn, around the provider's: bounds its answers in time, keeps its report whole, and does
 * without one where the app has no history.
 */
export class TurnTransaction {
  private transaction: UndoTransaction | null = null;
  private readonly entries: UndoEntry[] = [];
  /** Effects that the provider failed to record, has not recorded yet, or never gets since their call was cut. */
  private readonly unrecorded = new Set<UndoEntry>();
  /** Effects of calls that were cut, and were taken back while the turn went on. */
  private readonly revertedLate: UndoItem[] = [];
  /** Ids of the calls whose effects are taken back. */
  private readonly takenBack = new Set<string>();
  /** The changes of the rollback, undo or redo that runs; null before the first. */
  private changes: OwnChanges | null = null;
  /** How many closures the entries run. */
  private steps = 0;
  private closed = false;

  /** @param running calls that may change something and have not settled */
  constructor(
    private readonly provider: UndoProvider | null,
    private readonly readRevisions: () => Revisions,
    private readonly limit: StepLimit,
    private readonly running: ReadonlyMap<string, UndoItem>,
  ) {}

  /** Opens the provider's transaction. One that arrives after the turn's end is rolled back at once, empty. */
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
    this.closed = true;
    return this.soFar();
  }

  /** The report of a turn that is broken off here: what was taken back, what is in effect, what still runs. */
  soFar(): UndoReport {
    return {
      done: [...this.revertedLate],
      failed: [],
      irreversible: [...this.entries, ...this.unrecorded].map(itemOf),
      unknown: this.unknown(),
    };
  }

  /** Records the effects of a call. Rejects when the provider cannot; then a rollback takes them back by itself. */
  async record(effects: CallEffects): Promise<void> {
    const entry = this.followed(effects);
    this.unrecorded.add(entry);
    const { clock, revertTimeoutMs } = this.limit;
    const recorded = this.transaction?.record(entry);
    if (recorded) await bounded(recorded, revertTimeoutMs, clock, 'The undo history');
    this.unrecorded.delete(entry);
    this.entries.push(entry);
  }

  /**
   * Takes back what a call did after it was cut, and keeps the result for the report of a turn that goes on.
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

  /** Makes the effects final. Rejects when the provider throws, or does not answer. */
  async commit(): Promise<CommittedTurn> {
    const { clock, revertTimeoutMs } = this.limit;
    const handle =
      this.transaction === null || this.isEmpty
        ? null
        : await bounded(this.transaction.commit(), revertTimeoutMs, clock, 'The undo history');
    if (handle !== null && typeof handle?.revert !== 'function')
      throw new Error('the undo history gave no function revert');
    this.closed = true;
    const lasting = new Set((handle?.irreversible ?? []).map((item) => item.toolCallId));
    // The provider cannot take back an effect that it does not know.
    const isLasting = (entry: UndoEntry) =>
      handle === null ||
      entry.irreversible === true ||
      this.unrecorded.has(entry) ||
      lasting.has(entry.toolCallId);
    const effects = [...this.entries, ...this.unrecorded].map((entry) => ({
      ...itemOf(entry),
      irreversible: isLasting(entry),
    }));
    return { effects, unknown: this.unknown(), handle: handle && this.wrapped(handle) };
  }

  /** Takes everything back, as far as it goes. Never rejects. */
  async rollback(left: Revisions): Promise<TakenBack> {
    this.closed = true;
    const changes = this.follow(left);
    const unknown = this.unknown();
    // The effects that the provider does not know at this moment: while it rolls back, a late `record` may still end.
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

  /** The entry with closures whose changes are followed. */
  private followed({ entry, domain, changes, steps }: CallEffects): UndoEntry {
    const followed =
      (step: UndoClosure): UndoClosure =>
      () =>
        (this.changes ?? this.follow({})).step(step, domain, changes);
    this.steps += steps;
    const { revert, reapply } = entry;
    return {
      ...entry,
      ...(revert ? { revert: followed(revert) } : {}),
      ...(reapply ? { reapply: followed(reapply) } : {}),
    };
  }

  private wrapped(handle: CommittedEffects): CommittedHandle {
    const whole = (report: HistoryReport, { known }: OwnChanges): TakenBack => ({
      report: { ...report, unknown: this.unknown() },
      known,
    });
    return {
      revert: async (left) => {
        const changes = this.follow(left);
        const revert: UndoRun = (expected) => handle.revert(expected);
        return whole(await this.takeBack(revert, changes, [...this.unrecorded]), changes);
      },
      ...(handle.reapply && {
        reapply: async (left: Revisions) => {
          const changes = this.follow(left);
          return whole(await this.doAgain((expected) => handle.reapply!(expected), changes), changes);
        },
      }),
    };
  }

  /** An undo, a redo or a rollback begins. */
  private follow(left: Revisions): OwnChanges {
    this.changes = new OwnChanges(this.readRevisions, left);
    return this.changes;
  }

  /**
   * Rolls back or undoes, and makes the provider's report whole: an effect that it does not mention was not taken back,
   * and a provider that throws or hangs has taken back nothing that the report could rely on.
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
      // Each step has its own time; this is the time of a provider that hangs by itself.
      const ms = revertTimeoutMs * (this.steps + 1);
      const running = changes.start(async () => run(asRevision(changes.left)));
      return readReport(await bounded(running, ms, clock, 'The undo history'));
    } catch (error) {
      const reason = messageOf(error);
      return { done: [], failed: entries.map((entry) => ({ ...itemOf(entry), reason })), irreversible: [] };
    }
  }
}

type UndoRun = (expected: ReturnType<typeof asRevision>) => Promise<HistoryReport>;

/** A copy as JSON: a provider may report its own entries, closures included. Throws for an item that is none. */
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
