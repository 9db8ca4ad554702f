import type { Clock } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { jsonCopy } from '@banister/provider/internal/json/json-copy';
import type { EffectFailure, FailureReason } from '../conversation/failure-reason.js';
import type { CommittedEffect, LateSettlement, UndoItem, UndoReport } from '../conversation/turn-record.js';
import type { CallEffects } from '../conversation/turn-undo.js';
import type { EffectMoved } from '../operations/tool-operations.js';
import { isReverted, reportSoFar } from '../state/open-report.js';
import { lostCalls } from '../state/undo-entries.js';
import { bounded } from './bounded.js';
import { succeeded, type StepLimit } from './effect-step.js';
import { areAsFar } from './call-changes.js';
import { liveCall, type CallRecord, type LiveCall, type StepHost } from './live-call.js';
import { OwnChanges } from './own-changes.js';
import { asRevision, type Revisions } from './revisions.js';
import { failureFrom, failureOf, inCallOrder, isAmong, itemOf, revertAll } from './closure-history.js';
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

/** The result of an undo, a redo or a rollback. */
export interface TakenBack {
  readonly report: UndoReport;
  /** The revisions after only the session's own changes. If a domain has another revision now, the user has changed it. */
  readonly known: Revisions;
}

/**
 * Reverts and reapplies a committed turn, or only the effects of some calls. `expected` are the revisions after the session's last changes.
 */
export interface CommittedHandle {
  /** Whether the effects of some calls can be moved alone. */
  readonly groups?: boolean;
  revert(expected: Revisions, callIds?: ReadonlySet<string>): Promise<TakenBack>;
  /** Absent when the turn cannot be redone. */
  reapply?(expected: Revisions, callIds?: ReadonlySet<string>): Promise<TakenBack>;
}

/** The result of a commit: the effects for the record, and the handle for the undo stack. */
export interface CommittedTurn {
  readonly effects: readonly CommittedEffect[];
  /** Whether at least one effect can be taken back. */
  readonly isUndoable: boolean;
  /** The calls that were still running at the commit. */
  readonly unknown: readonly UndoItem[];
  /** null if no history recorded an effect. */
  readonly handle: CommittedHandle | null;
}

/** Takes the effects of a call back while the turn is open. Resolves with the reason why they stay, or with null. */
export type OpenRevert = (callId: string) => Promise<EffectFailure | null>;

/** The undo transaction of a running turn. A child turn has its part of the transaction of the turn that the user sent. */
export type OpenTransaction = Pick<TurnTransaction, Exclude<keyof TurnTransaction, 'restore'>>;

/** The log of a turn, for its transaction. */
export interface TurnLog {
  readonly turnId: string;
  /** The calls of the turn that recorded an effect. */
  effects(): readonly CallEffects[];
  /** Returns the ids of the calls that have a result and did not time out. */
  answered(): ReadonlySet<string>;
  /** Returns the 0-based place of a call's effects among the effects of the turn. */
  position(callId: string): number;
  /** Returns the calls that may change something and have not ended. */
  unknown(): readonly UndoItem[];
  /** Reads the revisions of all domains. */
  readRevisions(): Revisions;
  /** Called before an effect moves. If the promise rejects, another session owns the log, and the effect does not move. */
  owned(): void | Promise<void>;
  /** Emits the operation about an attempt to take an effect back, or to make it again. */
  moved(fact: EffectMoved): void;
}

/**
 * The undo transaction of one turn. It wraps the provider's transaction: it limits the time of the provider's functions, and completes the
 * provider's report. If the app has no history, it records the effects only for the report.
 *
 * The log of the turn has the effects, and which of them are in place. The transaction has the code that moves them.
 */
export class TurnTransaction {
  private transaction: UndoTransaction | null = null;
  /** The calls that have ended and recorded an effect, by call id, in the order in which they ended. */
  private readonly calls = new Map<string, LiveCall>();
  /**
   * Ids of the calls whose effects are given to the provider only when the turn ends: calls of an earlier session without an end in the
   * log, calls under review, and aborted calls whose effect could not be taken back.
   */
  private readonly atEnd = new Set<string>();
  /** Ids of the calls whose effects the provider has received. */
  private readonly given = new Set<string>();
  /** The changes of the last rollback, undo or redo; null before the first of them. */
  private changes: OwnChanges | null = null;
  /** Resolves when the work that moves effects has ended. */
  private moving: Promise<unknown> = Promise.resolve();
  /** The number of steps that wait for the log. */
  private waiting = 0;
  private closed = false;
  /** Whether the provider has opened its transaction. Without a provider there is nothing to open. */
  isOpened = false;
  /** The functions that stop the timers of effects that the provider is recording. */
  private readonly recordTimers = new Set<() => void>();

  constructor(
    private readonly provider: UndoProvider | null,
    private readonly log: TurnLog,
    private readonly limit: StepLimit,
    /** See {@link keepForEnd}. */
    private keepsForEnd = false,
  ) {}

  /**
   * From now on the provider receives the effects when the turn ends, and only the effects that stay: the user decides about the effects
   * before that, or child turns take their effects back while the turn goes on.
   */
  keepForEnd(): void {
    this.keepsForEnd = true;
  }

  /** Opens the provider's transaction. If the turn has ended meanwhile, rolls the empty transaction back at once. */
  async open(label: string): Promise<void> {
    const transaction = await this.provider?.begin(label);
    if (transaction !== undefined) {
      for (const method of ['record', 'commit', 'rollback'] as const)
        if (typeof transaction?.[method] !== 'function')
          throw new Error(`its transaction has no function ${method}`);
      if (this.closed) await transaction.rollback(undefined);
      else this.transaction = transaction;
    }
    this.isOpened = true;
  }

  /** True if nothing was recorded, no call is running, and no transaction of the provider has to be ended. */
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

  /** Returns the report of the turn as if it ended now: the effects taken back, the effects that stay, and the calls that still run. */
  soFar(): UndoReport {
    const unknown = this.log.unknown();
    const running = new Set(unknown.map(({ toolCallId }) => toolCallId));
    const ended = this.log.effects().filter(({ callId }) => !running.has(callId));
    return reportSoFar(ended, unknown);
  }

  /**
   * Takes over the turn of an earlier session: opens the provider's transaction, and records the effects that are in place. The effects of
   * a call without an end are recorded when the turn ends, because the call may run again before that.
   */
  async takeUp(label: string, records: readonly CallRecord[]): Promise<void> {
    const answered = this.log.answered();
    const entries = records.map((record) => this.add(record));
    for (const { toolCallId } of entries)
      if (this.keepsForEnd || !answered.has(toolCallId)) this.atEnd.add(toolCallId);
    const { clock, revertTimeoutMs } = this.limit;
    await bounded(this.open(label), revertTimeoutMs, clock, 'The undo history');
    await this.giveInPlace(entries.map((entry) => entry.toolCallId).filter((id) => !this.atEnd.has(id)));
  }

  /** Removes a call in `atEnd`, because the call runs again. */
  release(callId: string): void {
    if (this.atEnd.delete(callId)) this.calls.delete(callId);
  }

  /** Gives the provider the effects of these calls, except effects that are already taken back, or lost. */
  private async giveInPlace(callIds: readonly string[]): Promise<void> {
    const { reverted } = this.sorted();
    const lost = lostCalls(this.log.effects());
    for (const callId of callIds) {
      const { entry } = this.calls.get(callId)!;
      const isLost = lost.has(callId) && entry.revert === undefined;
      if (!isLost && !reverted.includes(entry)) await this.give(entry);
      this.atEnd.delete(callId);
    }
  }

  /** Records the effects of a call. Rejects if the provider cannot record them; then the rollback reverts them without the provider. */
  async record(record: CallRecord): Promise<void> {
    const entry = this.add(record);
    if (this.keepsForEnd) this.atEnd.add(entry.toolCallId);
    else await this.give(entry);
  }

  /** Whether this session can take effects back at all. */
  get hasHistory(): boolean {
    return this.provider !== null;
  }

  /** Returns true if the effects of a call can be taken back while the turn is open. */
  canRevert(callId: string): boolean {
    return this.calls.get(callId)?.entry.revert !== undefined;
  }

  /**
   * Takes effects back while the turn is open. The runs go one after the other, and so do the commit and the rollback of the turn, because
   * the changes of a step are followed for one run only.
   *
   * @param expected returns the revisions after the session's last changes; called when the run begins
   * @param run gets the function that takes effects back, and the changes that its calls have made until now
   */
  revertOpen<R>(
    expected: () => Revisions,
    run: (revert: OpenRevert, changes: Pick<OwnChanges, 'known'>) => Promise<R>,
  ): Promise<R> {
    const revert: OpenRevert = (callId) => failureOf(() => this.calls.get(callId)!.entry.revert!(undefined));
    return this.oneByOne(() => run(revert, this.follow(expected())));
  }

  /** Carries out work that moves effects after the earlier work. */
  private oneByOne<R>(work: () => Promise<R>): Promise<R> {
    const result = this.moving.then(work);
    this.moving = result.catch(() => {});
    return result;
  }

  private async give(entry: UndoEntry): Promise<void> {
    const recorded = this.transaction?.record(entry);
    if (recorded) await bounded(recorded, this.limit.revertTimeoutMs, this.recordClock, 'The undo history');
    this.given.add(entry.toolCallId);
  }

  /** Adds a call, and returns its entry for the provider. */
  private add(record: CallRecord): UndoEntry {
    const entry = this.keep(this.live(record));
    const isReverted = record.steps.length > 0 && record.steps.every((step) => !step.isInEffect);
    return isReverted ? { ...entry, isReverted } : entry;
  }

  private keep(call: LiveCall): UndoEntry {
    const { toolCallId } = call.entry;
    const position = this.log.position(toolCallId);
    const entry = { ...this.followed(call), position, [takenBack]: () => this.isTakenBack(toolCallId) };
    this.calls.set(toolCallId, { ...call, entry });
    return entry;
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
        const change = this.changes?.lateChange(domain, call);
        // While the rollback, undo or redo is still running, the operation of its end will have the change.
        return change && this.changes!.isOver ? { [domain]: defined(change) } : undefined;
      },
    };
  }

  /** Returns true if every effect of a call that can be taken back is taken back; undefined if the log has no effects of the call. */
  private isTakenBack(callId: string): boolean | undefined {
    const call = this.log.effects().find((one) => one.callId === callId);
    const code = this.calls.get(callId)?.steps;
    return call?.steps.every(({ step, state }) => state === 'reverted' || !code?.[step - 1]);
  }

  /** Sorts the entries by the log: taken back; in place and recorded by the provider; in place and not recorded. */
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

  /** A clock whose timers stop at the end of the transaction, because an aborted turn does not wait for a record. */
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
   * Takes back the effects of an aborted call. If the turn still runs, keeps the result for its report.
   *
   * @param isBuiltOn whether a later effect depends on the effects: while the turn runs, they stay
   * @returns what became of the effect, and the revisions before and after
   */
  async compensate(
    record: CallRecord,
    isBuiltOn = false,
  ): Promise<{ effect: LateSettlement['effect']; before: Revisions; after: Revisions }> {
    const { log } = this;
    const before = log.readRevisions();
    const own = new OwnChanges(() => log.readRevisions(), before);
    const call = this.live(record);
    const { entry, domain, changes } = call;
    let effect: LateSettlement['effect'] = 'irreversible';
    if (entry.revert) {
      const isDone =
        (this.closed || !isBuiltOn) &&
        (await own.step(this.owned(entry.revert), domain, changes).then(succeeded, () => false));
      if (!isDone) effect = 'revert-failed';
      else if (!entry.irreversible) effect = 'reverted';
    }
    // If the revert moved a counter as far as the call had moved it, the call and its revert made the whole change. While the turn runs,
    // its end has that change.
    const acted = { from: this.changes?.known[domain] ?? record.change.from, to: before[domain] };
    const isOwn =
      this.closed && effect === 'reverted' && areAsFar(acted, { from: acted.to, to: own.known[domain] });
    // If the effect was taken back and the log never had it, no report needs it.
    const isKnown = effect !== 'reverted' || log.effects().some(({ callId }) => callId === entry.toolCallId);
    if (isKnown) this.keep(call);
    // While the turn goes on, other calls may build on an effect that stays, so the end of the turn, or an undo, takes it back in its place.
    if (effect === 'revert-failed' && this.hasHistory) this.atEnd.add(entry.toolCallId);
    return { effect, before: isOwn ? { ...before, [domain]: acted.from! } : before, after: own.known };
  }

  /** Makes the effects final. Rejects if the provider throws, or does not answer in time. */
  commit(): Promise<CommittedTurn> {
    return this.oneByOne(() => this.commitNow());
  }

  private async commitNow(): Promise<CommittedTurn> {
    const { clock, revertTimeoutMs } = this.limit;
    if (this.atEnd.size > 0) await this.giveInPlace([...this.atEnd]);
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
    // A redo must not make effects again that were taken back before the commit.
    if (this.keepsForEnd) for (const { toolCallId } of reverted) this.calls.delete(toolCallId);
    const effects = [
      ...recorded.map((entry) => ({
        ...itemOf(entry),
        irreversible: handle === null || entry.irreversible === true || irreversible.has(entry.toolCallId),
      })),
      // The provider cannot take back effects that it has not recorded.
      ...unrecorded.map((entry) => ({ ...itemOf(entry), irreversible: !lost.has(entry.toolCallId) })),
    ];
    return {
      effects,
      isUndoable: handle !== null && effects.some((one) => !one.irreversible && !lost.has(one.toolCallId)),
      // Calls whose effects the user accepted while the calls ran are listed in `effects`, and not here.
      unknown: this.log
        .unknown()
        .filter(({ toolCallId }) => !effects.some((one) => one.toolCallId === toolCallId)),
      handle: handle && this.wrapped(handle),
    };
  }

  /**
   * Takes all effects back. Never rejects: the report lists the effects that stay.
   *
   * @param expected as in `revertOpen`
   */
  rollback(expected: () => Revisions): Promise<TakenBack> {
    this.close();
    return this.oneByOne(() => this.rollBackNow(expected()));
  }

  private async rollBackNow(expected: Revisions): Promise<TakenBack> {
    // If the history cannot record these effects, their own code reverts them.
    if (this.atEnd.size > 0) await this.giveInPlace([...this.atEnd]).catch(() => {});
    const changes = this.follow(expected);
    const unknown = this.log.unknown();
    // The effects that the provider has not recorded until now. While it rolls back, a late `record` may still end.
    const { reverted, recorded, unrecorded } = this.sorted();
    // Effects are taken back newest first. Unrecorded effects that are newer than the provider's last effect are taken back before the
    // provider's.
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

  /** Returns the entry of a call, with closures that run as steps of `changes`. */
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

  /** Returns code that moves an effect only while this session owns its log. */
  private owned(step: UndoClosure): UndoClosure {
    return (expected) => {
      const owned = this.whenOwned();
      return owned === undefined ? step(expected) : owned.then(() => step(expected));
    };
  }

  /** As `TurnJournal.owned`. While a step waits for the log, the time of the history does not end. */
  private whenOwned(): void | Promise<void> {
    const owned = this.log.owned();
    if (owned === undefined) return;
    this.waiting++;
    return owned.finally(() => this.waiting--);
  }

  private wrapped(handle: CommittedEffects): CommittedHandle {
    const unknown = (callIds?: ReadonlySet<string>) => this.log.unknown().filter(isAmong(callIds));
    return {
      groups: this.provider?.groups === true,
      revert: async (revisions, callIds) => {
        const changes = this.follow(revisions);
        // An aborted call may end meanwhile.
        const unrecorded = () => this.sorted().unrecorded;
        const run: UndoRun = (expected) => handle.revert(expected, callIds);
        const report = await this.takeBack(run, changes, unrecorded, callIds);
        return this.ended(this.whole(report, unknown(callIds)), changes);
      },
      reapply:
        handle.reapply &&
        (async (revisions, callIds) => {
          const changes = this.follow(revisions);
          const reverted = this.sorted().reverted.filter(isAmong(callIds));
          const run: UndoRun = (expected) => handle.reapply!(expected, callIds);
          const report = await this.reportOf(run, changes, reverted);
          const { recorded } = this.sorted();
          return this.ended(this.whole(withLate(report, recorded), unknown(callIds)), changes);
        }),
    };
  }

  /**
   * Completes the report of a history. A call with a lost effect is listed in `lost`, or in `failed`, and in no other list. A call whose
   * effects are listed has ended, even if the fact about its late end was not emitted yet.
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
   * Takes over a turn that an earlier session committed.
   *
   * @param redoes whether a redo of the turn was interrupted. Then a call of which a part is taken back is made again. The built-in history
   *   does not get calls whose code is missing, because with them it could not make the other calls again
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

  /** Creates the record of own changes for an undo, a redo or a rollback. */
  private follow(expected: Revisions): OwnChanges {
    this.changes = new OwnChanges(() => this.log.readRevisions(), expected);
    return this.changes;
  }

  /**
   * Rolls back or undoes, and completes the provider's report. An effect that the report does not mention counts as not taken back. If the
   * provider throws, or does not answer, all effects count as failed.
   *
   * @param unrecorded returns the effects that the provider has not received
   * @param callIds the calls whose effects are meant; absent for all calls
   */
  private async takeBack(
    run: UndoRun,
    changes: OwnChanges,
    unrecorded: () => readonly UndoEntry[] = () => [],
    callIds?: ReadonlySet<string>,
  ): Promise<HistoryReport> {
    const recorded = this.sorted().recorded.filter(isAmong(callIds));
    const report = this.withLate(await this.reportOf(run, changes, recorded));
    const forgotten = unmentioned([...recorded, ...unrecorded().filter(isAmong(callIds))], report).map(
      itemOf,
    );
    return forgotten.length === 0
      ? report
      : { ...report, irreversible: [...report.irreversible, ...forgotten] };
  }

  private withLate(report: HistoryReport): HistoryReport {
    return withLate(report, this.sorted().reverted);
  }

  /** Ends an undo, a redo or a rollback, and returns its result. */
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
      // Each step has its own time limit. This limit is for a provider that hangs between steps.
      const count = [...this.calls.values()].reduce(
        (sum, { steps }) => sum + steps.filter((step) => step !== null).length,
        0,
      );
      const ms = revertTimeoutMs * (count + 1);
      const running = changes.start(async () => {
        const owned = this.whenOwned();
        if (owned) await owned;
        return run(asRevision(changes.expected));
      });
      const isLate = () => this.waiting === 0;
      return readReport(await bounded(running, ms, clock, 'The undo history', isLate));
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

/** Returns a copy as JSON, because a provider may report its own entries with closures. Throws if a field of an item is not a string. */
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

/** Returns a report in which effects count as done if their code exceeded its time limit, but has ended since. */
export function withLate<R extends HistoryReport>(report: R, moved: readonly UndoItem[]): R {
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
