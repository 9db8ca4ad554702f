import type { EffectFailure, FailureReason } from '../conversation/failure-reason.js';
import type { CommittedEffect, LateSettlement, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import type { EffectMoved } from '../operations/tool-operations.js';
import type { Clock } from '../ports/clock.js';
import { messageOf } from '../errors/to-session-error.js';
import { defined } from '../json/defined.js';
import { jsonCopy } from '../json/json-copy.js';
import { isReverted, reportSoFar } from '../state/open-report.js';
import { lostCalls } from '../state/undo-entries.js';
import { bounded } from './bounded.js';
import { succeeded, type StepLimit } from './effect-step.js';
import { areAsFar } from './call-changes.js';
import { liveCall, type CallRecord, type LiveCall, type StepHost } from './live-call.js';
import { OwnChanges } from './own-changes.js';
import { asRevision, type Revisions } from './revisions.js';
import { failureFrom, failureOf, inCallOrder, itemOf, revertAll } from './closure-history.js';
import {
  runsClosures,
  takenBack,
  type CommittedEffects,
  type HistoryReport,
  type UndoEntry,
  type UndoProvider,
  type UndoClosure,
  type UndoTransaction,
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
  readonly effects: readonly CommittedEffect[];
  /** Whether an effect can be taken back. */
  readonly isUndoable: boolean;
  /** Calls that were still running. */
  readonly unknown: readonly UndoItem[];
  /** null when no history recorded an effect. */
  readonly handle: CommittedHandle | null;
}

/** Takes effects of a turn back while it is open. */
export interface OpenRevert {
  /** The revisions with only the session's own changes, as in {@link TakenBack}. */
  readonly known: Revisions;
  /** Takes the effects of a call back. Resolves with the reason for which they stay, or null. */
  revert(callId: string): Promise<EffectFailure | null>;
}

/** The log of a turn, as its transaction reads and writes it. */
export interface TurnLog {
  readonly turnId: string;
  /** The calls of the turn that recorded an effect. */
  effects(): readonly CallEffects[];
  /** Ids of the calls that have a result, and were not cut. */
  answered(): ReadonlySet<string>;
  /** Returns the place of a call among those of the turn, from 0. */
  position(callId: string): number;
  /** Calls that may change something, and have not ended. */
  unknown(): readonly UndoItem[];
  /** Reads the revisions of all domains. */
  readRevisions(): Revisions;
  /** Is called before an effect is moved. A promise that rejects keeps the effect as it is: another session owns the log. */
  owned(): void | Promise<void>;
  /** Emits the operation about an attempt to take an effect back, or to make it again. */
  moved(fact: EffectMoved): void;
}

/**
 * The undo transaction of one turn. It wraps the provider's transaction: bounds its calls in time, and completes its report. Where
 * the app has no history, it records the effects for the report only.
 *
 * The log of the turn has the effects, and which of them are in place. The transaction adds the code that moves them.
 */
export class TurnTransaction {
  private transaction: UndoTransaction | null = null;
  /** The calls that have ended and recorded an effect, in this order, by their ids. */
  private readonly calls = new Map<string, LiveCall>();
  /**
   * Ids of the calls whose effects the provider gets when the turn ends: those of an earlier session whose end the log has not, and those that
   * the user reviews.
   */
  private readonly kept = new Set<string>();
  /** Ids of the calls whose effects the provider got. */
  private readonly given = new Set<string>();
  /** The changes of the last rollback, undo or redo; null before the first. */
  private changes: OwnChanges | null = null;
  private closed = false;
  /** Stops the timers of effects that the provider is recording. */
  private readonly recordTimers = new Set<() => void>();

  constructor(
    private readonly provider: UndoProvider | null,
    private readonly log: TurnLog,
    private readonly limit: StepLimit,
    /** Whether the user decides about the effects before the turn ends: the provider gets only those that stay. */
    private readonly isReviewed = false,
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
    return this.isEmpty && this.log.unknown().length === 0;
  }

  private get isEmpty(): boolean {
    const { transaction, calls } = this;
    return (transaction === null || transaction.droppable === true) && calls.size === 0;
  }

  /** Ends an untouched transaction. */
  discard(): UndoReport {
    this.close();
    return this.soFar();
  }

  /** Returns the report of a turn that ends now: effects taken back, effects that stay, and calls that still run. */
  soFar(): UndoReport {
    const unknown = this.log.unknown();
    const running = new Set(unknown.map(({ toolCallId }) => toolCallId));
    const ended = this.log.effects().filter(({ callId }) => !running.has(callId));
    return reportSoFar(ended, unknown);
  }

  /**
   * Takes up the turn of an earlier session: opens the provider's transaction, and records the effects that are in place. Those of a
   * call without an end follow when the turn ends, since the call may run again before.
   */
  async takeUp(label: string, records: readonly CallRecord[]): Promise<void> {
    const answered = this.log.answered();
    const entries = records.map((record) => this.add(record));
    for (const { toolCallId } of entries)
      if (this.isReviewed || !answered.has(toolCallId)) this.kept.add(toolCallId);
    const { clock, revertTimeoutMs } = this.limit;
    await bounded(this.open(label), revertTimeoutMs, clock, 'The undo history');
    await this.giveInPlace(entries.map((entry) => entry.toolCallId).filter((id) => !this.kept.has(id)));
  }

  /** Removes a kept call that runs again. */
  release(callId: string): void {
    if (this.kept.delete(callId)) this.calls.delete(callId);
  }

  /** Gives the provider the effects of calls of an earlier session, but for those that are taken back already, or lost. */
  private async giveInPlace(callIds: readonly string[]): Promise<void> {
    const { reverted } = this.sorted();
    const lost = lostCalls(this.log.effects());
    for (const callId of callIds) {
      const { entry } = this.calls.get(callId)!;
      const isLost = lost.has(callId) && entry.revert === undefined;
      if (!isLost && !reverted.includes(entry)) await this.give(entry);
      this.kept.delete(callId);
    }
  }

  /** Records the effects of a call. Rejects when the provider fails to; the rollback then reverts them without the provider. */
  async record(record: CallRecord): Promise<void> {
    const entry = this.add(record);
    if (this.isReviewed) this.kept.add(entry.toolCallId);
    else await this.give(entry);
  }

  /** Whether the session takes effects back at all. */
  get hasHistory(): boolean {
    return this.provider !== null;
  }

  /** Whether the effects of a call can be taken back by themselves, while the turn is open. */
  canRevert(callId: string): boolean {
    return this.calls.get(callId)?.entry.revert !== undefined;
  }

  /** Starts to take effects back while the turn is open. */
  revertOpen(expected: Revisions): OpenRevert {
    const changes = this.follow(expected);
    return {
      get known() {
        return changes.known;
      },
      revert: (callId) => failureOf(() => this.calls.get(callId)!.entry.revert!(undefined)),
    };
  }

  private async give(entry: UndoEntry): Promise<void> {
    const recorded = this.transaction?.record(entry);
    if (recorded) await bounded(recorded, this.limit.revertTimeoutMs, this.recordClock, 'The undo history');
    this.given.add(entry.toolCallId);
  }

  /** Adds a call, and returns its entry for the provider. */
  private add(record: CallRecord): UndoEntry {
    const call = this.live(record);
    const { toolCallId } = call.entry;
    const position = this.log.position(toolCallId);
    const entry = { ...this.followed(call), position, [takenBack]: () => this.isTakenBack(toolCallId) };
    this.calls.set(entry.toolCallId, { ...call, entry });
    const isReverted = record.steps.length > 0 && record.steps.every((step) => !step.isInEffect);
    return isReverted ? { ...entry, isReverted } : entry;
  }

  private live(record: CallRecord): LiveCall {
    return liveCall(record, this.stepHost, this.calls.get(record.item.toolCallId));
  }

  private get stepHost(): StepHost {
    const { log, limit } = this;
    return {
      turnId: log.turnId,
      limit,
      revisionOf: (domain) => log.readRevisions()[domain],
      moved: (fact) => log.moved(fact),
      movedLate: (domain, call) => {
        const change = this.changes?.late(domain, call);
        // The end of work that goes on has the change.
        return change && this.changes!.isOver ? { [domain]: defined(change) } : undefined;
      },
    };
  }

  /** Whether all that can be taken back of a call is; undefined for one whose effects the log does not have. */
  private isTakenBack(callId: string): boolean | undefined {
    const call = this.log.effects().find((one) => one.callId === callId);
    const code = this.calls.get(callId)?.steps;
    return call?.steps.every(({ step, state }) => state === 'reverted' || !code?.[step - 1]);
  }

  /** Sorts the entries by the log: taken back, in place and recorded by the provider, in place and not recorded. */
  private sorted() {
    const effects = new Map(this.log.effects().map((call) => [call.callId, call]));
    const isTakenBack = ({ toolCallId }: UndoEntry) => {
      const call = effects.get(toolCallId);
      return call !== undefined && isReverted(call);
    };
    const entries = inCallOrder(Array.from(this.calls.values(), ({ entry }) => entry));
    const inPlace = entries.filter((entry) => !isTakenBack(entry));
    const isRecorded = ({ toolCallId }: UndoEntry) => this.given.has(toolCallId);
    return {
      reverted: entries.filter(isTakenBack),
      recorded: inPlace.filter(isRecorded),
      unrecorded: inPlace.filter((entry) => !isRecorded(entry)),
    };
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
    record: CallRecord,
  ): Promise<{ effect: LateSettlement['effect']; before: Revisions; after: Revisions }> {
    const { log } = this;
    const before = log.readRevisions();
    const own = new OwnChanges(() => log.readRevisions(), before);
    const call = this.live(record);
    const { entry, domain, changes } = call;
    let effect: LateSettlement['effect'] = 'irreversible';
    if (entry.revert) {
      const isDone = await own.step(this.owned(entry.revert), domain, changes).then(succeeded, () => false);
      if (!isDone) effect = 'revert-failed';
      else if (!entry.irreversible) effect = 'reverted';
    }
    // A counter that the tool advanced as far as its revert did was moved by the two alone. The end of a turn that runs has that change.
    const acted = { from: this.changes?.known[domain] ?? record.change.from, to: before[domain] };
    const isOwn =
      this.closed && effect === 'reverted' && areAsFar(acted, { from: acted.to, to: own.known[domain] });
    // An effect that the log never had, and that is gone, concerns no report.
    const isKnown = effect !== 'reverted' || log.effects().some(({ callId }) => callId === entry.toolCallId);
    if (isKnown) this.calls.set(entry.toolCallId, { ...call, entry: this.followed(call) });
    return { effect, before: isOwn ? { ...before, [domain]: acted.from! } : before, after: own.known };
  }

  /** Makes the effects final. Rejects when the provider throws, or does not answer in time. */
  async commit(): Promise<CommittedTurn> {
    const { clock, revertTimeoutMs } = this.limit;
    if (this.kept.size > 0) await this.giveInPlace([...this.kept]);
    const handle =
      this.transaction === null || this.isEmpty
        ? null
        : await bounded(this.transaction.commit(), revertTimeoutMs, clock, 'The undo history');
    if (handle !== null && typeof handle?.revert !== 'function')
      throw new Error('the undo history gave no function revert');
    this.close();
    const lost = lostCalls(this.log.effects());
    const irreversible = new Set(
      (handle?.irreversible ?? []).map((item) => item.toolCallId).filter((id) => !lost.has(id)),
    );
    const { reverted, recorded, unrecorded } = this.sorted();
    // A redo does not make again what the user rejected.
    if (this.isReviewed) for (const { toolCallId } of reverted) this.calls.delete(toolCallId);
    const effects = [
      ...recorded.map((entry) => ({
        ...itemOf(entry),
        irreversible: handle === null || entry.irreversible === true || irreversible.has(entry.toolCallId),
      })),
      // The provider cannot take back an effect that it did not record.
      ...unrecorded.map((entry) => ({ ...itemOf(entry), irreversible: !lost.has(entry.toolCallId) })),
    ];
    return {
      effects,
      isUndoable: handle !== null && effects.some((one) => !one.irreversible && !lost.has(one.toolCallId)),
      // Those that the user accepted while their calls ran are among the effects.
      unknown: this.log
        .unknown()
        .filter(({ toolCallId }) => !effects.some((one) => one.toolCallId === toolCallId)),
      handle: handle && this.wrapped(handle),
    };
  }

  /** Takes all effects back. Never rejects: the report lists the effects that stay. */
  async rollback(expected: Revisions): Promise<TakenBack> {
    this.close();
    // Where the history cannot record them, their own code reverts them.
    if (this.kept.size > 0) await this.giveInPlace([...this.kept]).catch(() => {});
    const changes = this.follow(expected);
    const unknown = this.log.unknown();
    // The effects that the provider has not recorded now: while it rolls back, a late `record` may still end.
    const { reverted, recorded, unrecorded } = this.sorted();
    // Effects are taken back newest first: those that followed the last one of the provider are before its own.
    const last = recorded.at(-1)?.position ?? -1;
    const newer = unrecorded.filter(({ position = 0 }) => position > last);
    const first = await revertAll(newer, new Set(), undefined);
    const report = this.transaction
      ? await this.takeBack(this.transaction.rollback.bind(this.transaction), changes)
      : { done: [], failed: [], irreversible: recorded.map(itemOf) };
    const others = unrecorded.filter((entry) => !newer.includes(entry));
    const rest = await revertAll(unmentioned(others, report), new Set(), undefined);
    const byClosures = <List extends keyof HistoryReport>(list: List) =>
      unmentioned<HistoryReport[List][number]>([...first[list], ...rest[list]], report);
    const all = this.withLate({
      done: [...byClosures('done'), ...reverted.map(itemOf), ...report.done],
      failed: [...byClosures('failed'), ...report.failed],
      irreversible: [...byClosures('irreversible'), ...report.irreversible],
    });
    return this.ended(this.whole(all, unknown), changes);
  }

  /** Returns the entry of a call with closures that run as steps of `changes`. */
  private followed({ entry, domain, changes }: LiveCall): UndoEntry {
    const followed =
      (step: UndoClosure): UndoClosure =>
      () =>
        (this.changes ?? this.follow({})).step(this.owned(step), domain, changes);
    const { revert, reapply } = entry;
    return defined({
      ...entry,
      revert: revert && followed(revert),
      reapply: reapply && followed(reapply),
    });
  }

  /** Returns code that moves an effect only as long as this session owns its log. */
  private owned(step: UndoClosure): UndoClosure {
    return (expected) => {
      const owned = this.log.owned();
      return owned === undefined ? step(expected) : owned.then(() => step(expected));
    };
  }

  private wrapped(handle: CommittedEffects): CommittedHandle {
    return {
      revert: async (revisions) => {
        const changes = this.follow(revisions);
        // A call that was cut may end meanwhile.
        const unrecorded = () => this.sorted().unrecorded;
        const report = await this.takeBack((expected) => handle.revert(expected), changes, unrecorded);
        return this.ended(this.whole(report), changes);
      },
      reapply:
        handle.reapply &&
        (async (revisions) => {
          const changes = this.follow(revisions);
          const { reverted } = this.sorted();
          const report = await this.reportOf((expected) => handle.reapply!(expected), changes, reverted);
          const { recorded } = this.sorted();
          return this.ended(this.whole(withLate(report, recorded)), changes);
        }),
    };
  }

  /**
   * Completes the report of a history. A call with an effect that is lost is in no other list but `failed`; one whose effects are listed
   * has ended, also where its late end is no fact yet.
   */
  private whole(report: HistoryReport, unknown = this.log.unknown()): UndoReport {
    const ids = lostCalls(this.log.effects());
    const isLost = ({ toolCallId }: UndoItem) => ids.has(toolCallId);
    const { done, failed, irreversible } = report;
    return {
      done: done.filter((item) => !isLost(item)),
      failed,
      irreversible: irreversible.filter((item) => !isLost(item)),
      lost: [...done, ...irreversible].filter(isLost),
      unknown: unmentioned(unknown, report),
    };
  }

  /**
   * Takes up a turn that an earlier session committed.
   *
   * @param redoes whether its redo was interrupted: a call of which a part is taken back is made again. The built-in history gets no call
   *   whose code is gone, so that the others are made again: one of them may be there without a record
   */
  restore(records: readonly CallRecord[], redoes: boolean): CommittedHandle {
    const entries = records.map((record) => {
      const entry = this.add(record);
      this.given.add(entry.toolCallId);
      const isPartlyReverted = redoes && record.steps.some((step) => !step.isInEffect);
      return isPartlyReverted ? { ...entry, isReverted: true } : entry;
    });
    const leavesOut = redoes && this.provider !== null && runsClosures in this.provider;
    const given = leavesOut ? entries.filter(({ isReverted, reapply }) => !isReverted || reapply) : entries;
    const effects = this.provider?.restore?.(this.log.turnId, given);
    if (typeof effects?.revert !== 'function') throw new Error('the undo history gave no function revert');
    return this.wrapped(effects);
  }

  /** Starts the record of own changes for an undo, a redo or a rollback. */
  private follow(expected: Revisions): OwnChanges {
    this.changes = new OwnChanges(() => this.log.readRevisions(), expected);
    return this.changes;
  }

  /**
   * Rolls back or undoes, and completes the provider's report: an effect that it does not mention counts as not taken back; when
   * the provider throws or hangs, all effects count as failed.
   *
   * @param unrecorded returns effects that the provider never got
   */
  private async takeBack(
    run: UndoRun,
    changes: OwnChanges,
    unrecorded: () => readonly UndoEntry[] = () => [],
  ): Promise<HistoryReport> {
    const { recorded } = this.sorted();
    const report = this.withLate(await this.reportOf(run, changes, recorded));
    const forgotten = unmentioned([...recorded, ...unrecorded()], report).map(itemOf);
    return forgotten.length === 0
      ? report
      : { ...report, irreversible: [...report.irreversible, ...forgotten] };
  }

  private withLate(report: HistoryReport): HistoryReport {
    return withLate(report, this.sorted().reverted);
  }

  /** Ends the work of an undo, a redo or a rollback. */
  private ended(report: UndoReport, changes: OwnChanges): TakenBack {
    changes.isOver = true;
    return { report, known: changes.known };
  }

  private async reportOf(
    run: UndoRun,
    changes: OwnChanges,
    entries: readonly UndoEntry[],
  ): Promise<HistoryReport> {
    const { clock, revertTimeoutMs } = this.limit;
    try {
      // Each step is bounded by itself; this bound is for a provider that hangs between steps.
      const count = [...this.calls.values()].reduce(
        (sum, { steps }) => sum + steps.filter((step) => step !== null).length,
        0,
      );
      const ms = revertTimeoutMs * (count + 1);
      const running = changes.start(async () => {
        const owned = this.log.owned();
        if (owned) await owned;
        return run(asRevision(changes.expected));
      });
      return readReport(await bounded(running, ms, clock, 'The undo history'));
    } catch (error) {
      const failure = failureFrom(error);
      return {
        done: [],
        failed: entries.map((entry) => ({ ...itemOf(entry), ...failure })),
        irreversible: [],
      };
    }
  }
}

type UndoRun = (expected: ReturnType<typeof asRevision>) => Promise<HistoryReport>;

/** A copy as JSON: a provider may report its own entries, closures included. Throws for an item whose fields are no texts. */
function readReport({ done, failed, irreversible }: HistoryReport): HistoryReport {
  return {
    done: done.map(readItem),
    failed: failed.map((item) => ({
      ...readItem(item),
      ...defined({
        reason: messageOf(item.reason),
        because: item.because && (jsonCopy(item.because) as unknown as FailureReason),
      }),
    })),
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

/** Returns a report in which the effects are done whose code took too long, and has ended since. */
function withLate(report: HistoryReport, moved: readonly UndoEntry[]): HistoryReport {
  const ids = new Set(moved.map(({ toolCallId }) => toolCallId));
  const isMoved = ({ toolCallId }: UndoItem) => ids.has(toolCallId);
  const { done, failed } = report;
  return {
    ...report,
    done: [...done, ...failed.filter(isMoved).map(itemOf)],
    failed: failed.filter((item) => !isMoved(item)),
  };
}

/** Returns the items that a report does not list. */
function unmentioned<T extends UndoItem>(
  items: readonly T[],
  { done, failed, irreversible }: HistoryReport,
): readonly T[] {
  const mentioned = new Set([...done, ...failed, ...irreversible].map((item) => item.toolCallId));
  return items.filter(({ toolCallId }) => !mentioned.has(toolCallId));
}
