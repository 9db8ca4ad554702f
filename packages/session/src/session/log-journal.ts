import { AgentSessionError, isAgentSessionError } from '../errors/agent-session-error.js';
import type { Operation } from '../operations/operation.js';
import type { Clock } from '../ports/clock.js';
import type { SessionState } from '../state/session-state.js';
import { withoutEmptyNotes } from '../state/stored-notes.js';
import { isLeaseLost } from './lost-log.js';
import type { Lease, SessionLog } from './session-log.js';
import { within } from './within.js';

/** The version of the records that this release writes. */
export const RECORD_VERSION = 1;

/** The log of a session, opened for writing. */
export interface LogJournalOptions {
  readonly log: SessionLog;
  /** A lease that was claimed a moment ago. */
  readonly lease: Lease;
  /** The time of the claim, in milliseconds. The lease is renewed after each third of it. */
  readonly ttlMs: number;
  readonly clock: Clock;
  /** Returns the form of operations in which they are stored. */
  toStored(operations: readonly Operation[]): readonly Operation[];
  /** Is called once, when the log refuses a write or a renewal because another writer has claimed the session, or it was removed. */
  fenced(error: AgentSessionError): void;
}

/**
 * The journal that writes to a log: each write is one record, with the revision after the last one. It holds the lease until it is
 * closed.
 *
 * The log may store a record and report a failure all the same, for example when a connection is lost in between. So the next write reads
 * the log first, and writes only the operations that are not there.
 */
export class LogJournal {
  /** The revision of the last record. */
  private revision: number;
  /** The number of the last operation that the log has of this journal. */
  private stored = 0;
  /** Whether the log has refused the last append: it may have stored the record all the same. */
  private isUnsettled = false;
  /** The log does one thing at a time; this settles when everything that was asked for is done. */
  private last: Promise<unknown> = Promise.resolve();
  /** The error of the last write; null when it was stored. */
  private refusal: unknown = null;
  private fencedBy: AgentSessionError | null = null;
  /** The time at which the lease was certainly the current one. */
  private ownedAt: number;
  private isEnded = false;
  private stopTimer: () => void = () => {};

  /** The lease with which it writes. */
  get lease(): Lease {
    return this.options.lease;
  }

  constructor(private readonly options: LogJournalOptions) {
    this.revision = options.lease.revision;
    this.ownedAt = options.clock.now();
    this.startTimer();
  }

  /**
   * Appends a record. After a refusal the next write has to begin with the same operations.
   *
   * Rejects with the error of the log; with its `fenced` or `removed` at once when the lease is known to be lost; with
   * `disposed` after `close`.
   */
  write(operations: readonly Operation[], { barrier }: { readonly barrier: boolean }): Promise<void> {
    if (this.isEnded) return Promise.reject(closed());
    return this.inOrder(async () => {
      try {
        await this.store(operations, barrier);
        this.refusal = null;
      } catch (error) {
        this.refusal = error;
        throw error;
      }
    });
  }

  /**
   * Stores the state at the revision of the last record. It must be the state after the operations of all writes before this call,
   * and no others. Rejects when the last write was refused, since its operations are in the state and not in the log.
   */
  snapshot(state: SessionState): Promise<void> {
    if (this.isEnded) return Promise.reject(closed());
    const { log, lease } = this.options;
    return this.inOrder(async () => {
      if (this.refusal !== null) throw this.refusal;
      await log.snapshot(lease, this.revision, withoutEmptyNotes(state));
    });
  }

  /** Writes nothing more, and does not renew the lease. Returns the revision of the last record. */
  end(): number {
    this.isEnded = true;
    this.stopTimer();
    return this.revision;
  }

  /** Waits for the writes before it, and gives the lease back. When that fails, the lease runs out by itself. Never rejects. */
  async close(): Promise<void> {
    if (this.isEnded) return;
    this.end();
    const { log, lease } = this.options;
    await this.inOrder(() => log.release(lease)).catch(() => {});
  }

  private inOrder(act: () => Promise<void>): Promise<void> {
    const done = this.last.then(async () => {
      if (this.fencedBy) throw this.fencedBy;
      await act().catch((error: unknown) => this.failed(error));
    });
    this.last = done.catch(() => {});
    return done;
  }

  /** Appends the operations that the log does not have. A record whose fate is unknown is looked for first. */
  private async store(operations: readonly Operation[], barrier: boolean): Promise<void> {
    if (this.isUnsettled) await this.settle();
    const rest = operations.filter(({ sequence }) => sequence > this.stored);
    if (rest.length === 0) return;
    try {
      await this.append(rest, barrier);
    } catch (error) {
      // A record that was on its way when it was looked for.
      if (reasonOf(error) !== 'conflict' || !(await this.settle())) throw error;
      await this.store(operations, barrier);
    }
  }

  private async append(operations: readonly Operation[], barrier: boolean): Promise<void> {
    const { log, lease, toStored } = this.options;
    const revision = this.revision + 1;
    const record = {
      version: RECORD_VERSION,
      revision,
      epoch: lease.epoch,
      operations: toStored(operations),
    };
    this.isUnsettled = true;
    await log.append(lease, record, { barrier });
    this.has(revision, operations);
  }

  /** Reads which records the log has of this journal: every one with the epoch of its lease. Returns whether it found one more. */
  private async settle(): Promise<boolean> {
    const { log, lease } = this.options;
    const { records } = await log.load(lease.id);
    const found = records.findLast(
      ({ revision, epoch }) => revision > this.revision && epoch === lease.epoch,
    );
    this.has(found?.revision ?? this.revision, found?.operations ?? []);
    return found !== undefined;
  }

  private has(revision: number, operations: readonly Operation[]): void {
    this.isUnsettled = false;
    this.revision = revision;
    this.stored = operations.at(-1)?.sequence ?? this.stored;
  }

  /** Renews the lease. Never rejects: a renewal that fails otherwise is tried again with the next one, while the lease still has time. */
  async renew(): Promise<void> {
    const { log, lease, clock } = this.options;
    const begin = clock.now();
    await log.renew(lease).then(
      () => (this.ownedAt = begin),
      (error: unknown) => this.noteFenced(error),
    );
  }

  /**
   * Returns nothing while no other session can have taken the lease. After a sleep of the page it asks the log: the promise rejects with
   * `fenced`, and resolves also where the log does not answer in time.
   */
  owned(): void | Promise<void> {
    const { clock, ttlMs } = this.options;
    const age = clock.now() - this.ownedAt;
    if (this.fencedBy === null && age >= 0 && age < ttlMs) return;
    return within(this.renew(), ttlMs, clock).then(() => {
      if (this.fencedBy) throw this.fencedBy;
    });
  }

  private startTimer(): void {
    const { ttlMs, clock } = this.options;
    this.stopTimer = clock.schedule(() => {
      this.startTimer();
      void this.renew();
    }, ttlMs / 3);
  }

  private failed(error: unknown): never {
    this.noteFenced(error);
    throw error;
  }

  private noteFenced(error: unknown): void {
    if (this.fencedBy || this.isEnded || !isLeaseLost(error)) return;
    this.fencedBy = error;
    this.stopTimer();
    this.options.fenced(this.fencedBy);
  }
}

function reasonOf(error: unknown): unknown {
  return isAgentSessionError(error) && error.code === 'storage' ? error.details['reason'] : undefined;
}

function closed(): AgentSessionError {
  return new AgentSessionError('disposed', 'The session was disposed: nothing more is written to its log.');
}
