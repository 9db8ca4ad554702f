import type { Clock } from '@banister/provider';
import {
  AgentSessionError,
  isAgentSessionError,
} from '@banister/provider/internal/errors/agent-session-error';
import type { Operation } from '../operations/operation.js';
import type { SessionState } from '../state/session-state.js';
import { savedState } from '../state/stored-state.js';
import { renewalMs } from './claims.js';
import { isLeaseLost } from './lost-log.js';
import type { AppendOptions, Lease, SessionLog } from './session-log.js';
import { within } from './within.js';

/** The newest version of the records that this release reads. */
export const RECORD_VERSION = 2;

/**
 * Returns the version of a record: the lowest with which it can be read. A record with facts of child turns has the version 2, so that an
 * earlier release opens the log `read-only`. Otherwise it would show a turn whose effects it knows in part.
 */
export function recordVersion(operations: readonly Operation[]): number {
  return operations.some(({ type }) => type === 'subagent') ? RECORD_VERSION : 1;
}

/** The options of a journal that writes to the log of a session. */
export interface LogJournalOptions {
  readonly log: SessionLog;
  /** A lease that was just claimed. */
  readonly lease: Lease;
  /** The duration of the claim, in milliseconds. The lease is renewed after each third of it. */
  readonly ttlMs: number;
  readonly clock: Clock;
  /** Returns the stored form of operations. */
  toStored(operations: readonly Operation[]): readonly Operation[];
  /** Called once, when the log refuses a write or a renewal because another writer has claimed the session, or the session was removed. */
  fenced(error: AgentSessionError): void;
}

/**
 * The journal that writes to a log. Each write appends one record, with the next revision. The journal holds the lease until it is closed.
 *
 * An append may fail although the log has stored the record, for example when the connection is lost in between. So after a failure the
 * next write reads the log first, and appends only the operations that the log does not have.
 */
export class LogJournal {
  /** The revision of the last record, and the sequence number of the last operation of this journal that the log has. */
  private stored: { readonly revision: number; readonly sequence: number };
  /** Settles when the log has done everything that was requested. The log does one thing at a time. */
  private last: Promise<unknown> = Promise.resolve();
  /** The error of the last write; null if the write succeeded. After an error the log may have stored the record nevertheless. */
  private refusal: unknown = null;
  /** An error: the lease is lost. `ended`: this session gives the lease up. */
  private state: 'open' | 'ended' | AgentSessionError = 'open';
  /** The last time at which the lease was certainly valid. */
  private ownedAt: number;
  private stopTimer: () => void = () => {};

  /** The lease with which the journal writes. */
  get lease(): Lease {
    return this.options.lease;
  }

  constructor(private readonly options: LogJournalOptions) {
    this.stored = { revision: options.lease.revision, sequence: 0 };
    this.ownedAt = options.clock.now();
    this.startTimer();
  }

  /**
   * Appends a record. After a refused write the next write has to begin with the same operations.
   *
   * Rejects with the error of the log. Rejects at once with `fenced` or `removed` when the lease is known to be lost, and with `disposed`
   * after `close`.
   */
  write(operations: readonly Operation[], options: AppendOptions): Promise<void> {
    if (this.state === 'ended') return Promise.reject(closed());
    return this.inOrder(async () => {
      try {
        if (this.refusal !== null) await this.settle();
        await this.store(operations, options);
        this.refusal = null;
      } catch (error) {
        this.refusal = error;
        throw error;
      }
    });
  }

  /**
   * Stores the state at the revision of the last record. The state must contain the operations of all earlier writes, and no other
   * operations. Rejects if the last write was refused, because the state has its operations and the log does not.
   */
  snapshot(state: SessionState): Promise<void> {
    if (this.state === 'ended') return Promise.reject(closed());
    const { log, lease } = this.options;
    return this.inOrder(async () => {
      if (this.refusal !== null) throw this.refusal;
      await log.snapshot(lease, this.stored.revision, savedState(state));
    });
  }

  /** Stops writing and renewing the lease. Returns the revision of the last record. */
  end(): number {
    if (this.state === 'open') this.state = 'ended';
    this.stopTimer();
    return this.stored.revision;
  }

  /** Waits for the earlier writes, and releases the lease. If the release fails, the lease expires. Never rejects. */
  async close(): Promise<void> {
    if (this.state !== 'open') return;
    this.end();
    const { log, lease } = this.options;
    await this.inOrder(() => log.release(lease)).catch(() => {});
  }

  private inOrder(act: () => Promise<void>): Promise<void> {
    const done = this.last.then(async () => {
      this.check();
      await act().catch((error: unknown) => this.failed(error));
    });
    this.last = done.catch(() => {});
    return done;
  }

  /** Appends the operations that the log does not have. */
  private async store(operations: readonly Operation[], options: AppendOptions): Promise<void> {
    const rest = operations.filter(({ sequence }) => sequence > this.stored.sequence);
    if (rest.length === 0) return;
    try {
      await this.append(rest, options);
    } catch (error) {
      // The record of the failed append arrived after `settle` had read the log.
      if (reasonOf(error) !== 'conflict' || !(await this.settle())) throw error;
      await this.store(operations, options);
    }
  }

  private async append(operations: readonly Operation[], options: AppendOptions): Promise<void> {
    const { log, lease, toStored } = this.options;
    const revision = this.stored.revision + 1;
    const record = {
      version: recordVersion(operations),
      revision,
      epoch: lease.epoch,
      operations: toStored(operations),
    };
    await log.append(lease, record, options);
    this.has(revision, operations);
  }

  /**
   * Reads the records that this journal has written: the records with the epoch of its lease. Returns true if the log has a record that the
   * journal did not know as stored.
   */
  private async settle(): Promise<boolean> {
    const { log, lease } = this.options;
    const { records } = await log.load(lease.id);
    const found = records.findLast(
      ({ revision, epoch }) => revision > this.stored.revision && epoch === lease.epoch,
    );
    if (found) this.has(found.revision, found.operations);
    return !!found;
  }

  private has(revision: number, operations: readonly Operation[]): void {
    this.stored = { revision, sequence: operations.at(-1)?.sequence ?? this.stored.sequence };
  }

  /**
   * Renews the lease. Never rejects: after an error other than a lost lease, the next renewal tries again, while the lease is still valid.
   */
  async renew(): Promise<void> {
    const { log, lease, clock } = this.options;
    const begin = clock.now();
    await log.renew(lease).then(
      () => (this.ownedAt = begin),
      (error: unknown) => this.noteFenced(error),
    );
  }

  /**
   * Returns undefined while no other session can have taken the lease. After a sleep of the page it asks the log. The promise rejects with
   * `fenced` if another session has the lease, and resolves if the log does not answer in time.
   */
  owned(): void | Promise<void> {
    const { clock, ttlMs } = this.options;
    const age = clock.now() - this.ownedAt;
    if (typeof this.state === 'string' && age >= 0 && age < ttlMs) return;
    return within(this.renew(), ttlMs, clock).then(() => this.check());
  }

  private startTimer(): void {
    const { ttlMs, clock } = this.options;
    this.stopTimer = clock.schedule(() => {
      this.startTimer();
      void this.renew();
    }, renewalMs(ttlMs));
  }

  private failed(error: unknown): never {
    this.noteFenced(error);
    throw error;
  }

  private noteFenced(error: unknown): void {
    if (this.state !== 'open' || !isLeaseLost(error)) return;
    this.state = error;
    this.stopTimer();
    this.options.fenced(error);
  }

  /** Throws if the lease is lost. */
  private check(): void {
    if (typeof this.state !== 'string') throw this.state;
  }
}

function reasonOf(error: unknown): unknown {
  return isAgentSessionError(error) && error.code === 'storage' ? error.details['reason'] : undefined;
}

function closed(): AgentSessionError {
  return new AgentSessionError('disposed', 'The session was disposed: nothing more is written to its log.');
}
