import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '@banister/session';
import { readLog, type LoadedLog, type LogRecord } from '@banister/session/log';
import { checkOrder } from '@banister/testing';
import { takenOverProblems } from '../../../session/test/kill/after-owner-changed.js';
import { entryProblems, reportProblems } from '../../../session/test/kill/effect-account.js';
import { queueProblems } from '../../../session/test/kill/queue-account.js';
import type { Account, Acknowledged, EndedPage, OpenedPage } from './crash-page-api.js';

/**
 * All records that a log has had, including records that a snapshot replaced, and all promises that were made
 * to its pages.
 */
export class CrashAccount {
  readonly problems: string[] = [];
  private readonly records = new Map<number, LogRecord>();
  private readonly acknowledged: Acknowledged[] = [];
  /** The calls whose cards a rollback removed before a kill kept the rollback out of the log. */
  private readonly untold = new Set<string>();

  /** Adds the promises that were made to a page until it was killed, or until now. */
  add({ records, acknowledged, reported, taken }: Account): void {
    for (const record of records) this.keep(record);
    const operations = this.operations();
    for (const callId of taken) if (isUntold(callId, operations)) this.untold.add(callId);
    this.acknowledged.push(...acknowledged);
    this.problems.push(...reported.map((error) => `reported: ${error}`));
  }

  /**
   * Checks the log that a page opens while another page is still writing, whose last records are not known
   * yet.
   */
  joined({ loaded: { revision, records, damage } }: OpenedPage): void {
    if (damage !== undefined) this.problems.push(damage.message);
    this.checkEnd(revision);
    for (const record of records) this.keep(record);
  }

  /** Checks the log that the only page opens, and the session that this page makes of it. */
  opened({ loaded, state, operations }: OpenedPage): void {
    this.loaded(loaded);
    // While the browser still holds the lock of the killed page, the new page follows for a moment and has no
    // operation yet.
    if (operations[0]?.type === 'ownerChanged')
      this.problems.push(...takenOverProblems(this.read().state, state, operations));
  }

  /** Checks the end of the script. */
  ended(page: EndedPage): void {
    this.add(page);
    this.loaded(page.loaded);
    const { state, problem } = this.read();
    const operations = this.operations();
    if (problem !== null) this.problems.push(problem.message);
    this.same('the state at the end is not the fold of the log', state, page.state);
    if (state.isRunning || state.interrupted !== null || state.pendingConfirmations.length > 0)
      this.problems.push(`it is not idle at the end: ${state.phase}`);
    this.problems.push(...checkOrder(operations), ...queueProblems(operations, state));
    const places = [
      ...reportProblems(state, operations, page.world),
      ...entryProblems(state, operations, page.world),
    ];
    this.problems.push(
      ...places.filter((problem) => ![...this.untold].some((callId) => problem.startsWith(callId))),
    );
    this.problems.push(...repeated(operations));
  }

  private keep(record: LogRecord): void {
    const known = this.records.get(record.revision);
    if (known !== undefined) this.same(`record ${record.revision} has changed`, known, record);
    this.records.set(record.revision, record);
  }

  private loaded({ snapshot, records, revision, damage }: LoadedLog): void {
    if (damage !== undefined) this.problems.push(damage.message);
    this.checkEnd(revision);
    for (const record of records) this.keep(record);
    for (let at = 1; at <= revision; at++)
      if (!this.records.has(at)) this.problems.push(`record ${at} is missing`);
    if (snapshot !== null)
      this.same(
        'the snapshot is not the fold of its records',
        this.read(revision - records.length).state,
        readLog({ snapshot, records: [] }).state,
      );
    this.same(
      'the log does not fold to the same state',
      readLog({ snapshot, records }).state,
      this.read().state,
    );
    this.problems.push(...unkept(this.acknowledged, this.operations()));
  }

  private checkEnd(revision: number): void {
    const last = Math.max(0, ...this.records.keys());
    if (last > revision)
      this.problems.push(`record ${last} was acknowledged, and the log ends at ${revision}`);
  }

  private read(last = Infinity) {
    const records = [...this.records.values()].filter(({ revision }) => revision <= last);
    return readLog({ snapshot: null, records: records.sort((a, b) => a.revision - b.revision) });
  }

  private operations(): readonly Operation[] {
    return [...this.records.values()]
      .sort((a, b) => a.revision - b.revision)
      .flatMap(({ operations }) => operations);
  }

  private same<T>(problem: string, one: T, other: T): void {
    const [a, b] = [one, other].map((value) => JSON.parse(JSON.stringify(value)) as object);
    if (isDeepStrictEqual(a, b)) return;
    const fields = Object.keys(a!).filter((key) => !isDeepStrictEqual(fieldOf(a, key), fieldOf(b, key)));
    this.problems.push(`${problem}: ${fields.join()}`);
  }
}

const fieldOf = (value: object | undefined, key: string) => (value as Record<string, unknown>)[key];

/** Returns the fulfilled promises whose operation is not in the log. */
function unkept(acknowledged: readonly Acknowledged[], operations: readonly Operation[]): readonly string[] {
  const texts = operations.map((operation) => JSON.stringify(operation));
  const count = (type: string) => operations.filter((operation) => operation.type === type).length;
  return acknowledged.flatMap((one) => {
    if (!('messages' in one || 'id' in one)) {
      const promised = acknowledged.filter(({ of }) => of === one.of).length;
      return count(one.of) >= promised ? [] : [`${promised} times ${one.of} was promised`];
    }
    const words = one.of === 'turn' ? one.messages : [one.id];
    const missing = words.filter((word) => !texts.some((text) => text.includes(word)));
    return missing.map((word) => `${one.of} was promised, and is not in the log: ${word}`);
  });
}

/**
 * Returns whether the removal of a card is missing in the log. No step of a rollback waits for the record of
 * its start. If the page ends in between, `resume()` continues the turn as if the effect was in place; the
 * report lists a closure as `lost`.
 */
function isUntold(callId: string, operations: readonly Operation[]): boolean {
  const [call] = operations.flatMap((operation) =>
    operation.type === 'toolStarted' && operation.callId === callId ? [operation] : [],
  );
  const isTold = (operation: Operation) => {
    if (operation.type === 'effectReverted') return operation.callId === callId;
    // The next page continues a rollback that has begun, and repeats its steps that are data.
    if (call === undefined || call.tool === 'board.paint') return false;
    if (operation.type === 'undoStarted') return operation.target === call.turnId;
    return operation.type === 'rollbackStarted' && operation.turnId === call.turnId;
  };
  return !operations.some(isTold);
}

/**
 * Returns the tools that were called twice in a turn although its answer calls them once. They show that an
 * answer was requested again and acted twice.
 */
function repeated(operations: readonly Operation[]): readonly string[] {
  const calls = new Map<string, Set<string>>();
  for (const operation of operations) {
    if (operation.type !== 'toolStarted' || operation.tool === 'board.side') continue;
    const key = `${operation.tool} in turn ${operation.turnId}`;
    calls.set(key, (calls.get(key) ?? new Set()).add(operation.callId));
  }
  return [...calls].flatMap(([key, { size }]) => (size > 1 ? [`${size} calls of ${key}`] : []));
}
