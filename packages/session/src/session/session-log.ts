import type { AgentSessionError } from '../errors/agent-session-error.js';
import type { JsonObject } from '../json/json.js';
import type { Operation } from '../operations/operation.js';
import type { SessionState } from '../state/session-state.js';

/**
 * A store for the logs of sessions: records in order, one writer a session. A session is its log: the state is folded from it, and a
 * reader that has the state at a revision goes on with the records after it.
 *
 * One writer at a time: `claim` gives it a lease and raises the epoch of the session by one, and the log refuses every write
 * with the lease of an older epoch. So a writer that was asleep while another took over cannot write.
 *
 * Everything that a log returns is a copy: a change to it changes neither the log nor the copy of another reader. Methods that
 * return a promise reject and do not throw. An error of the log is an {@link AgentSessionError} with the code `storage`; its `details.reason` is
 *
 * - `fenced`: the lease is not the current one, as another writer has claimed the session, or the lease was released;
 * - `removed`: the session was removed since the lease was claimed, or while a reader followed it;
 * - `conflict`: the revision does not follow the last one;
 * - `held`: another owner has the lease: `details.owner`, and its epoch, `details.epoch`;
 * - `gap`: the records after this revision are not in the log; `load` has the state to begin with.
 *
 * `sessionLogConformance` of `@banister/testing` proves all of this for an implementation.
 *
 * @example
 * const lease = await log.claim('chat-42', 'tab-1', 5_000);
 * const record = { version: 1, revision: lease.revision + 1, epoch: lease.epoch, operations };
 * await log.append(lease, record, { barrier: true });
 */
export interface SessionLog {
  /**
   * Takes the lease of a session, which need not exist yet. The epoch rises by one at each claim, also when the owner is the same,
   * and never falls, also when the session is removed.
   *
   * @param id the session
   * @param owner the name of the writer, unique to it: a tab, a process
   * @param ttlMs how long the lease holds other owners back without `renew`, in milliseconds. A lease that has run out can
   *   still write and be renewed, until the next claim
   * @param options.steal the epoch of a lease that is taken away from its holder: one that gives it away, or that does not answer. Without
   *   effect when the session has a later epoch, so that of two owners who steal the same lease one gets it
   * @throws `storage` with the reason `held`, `details.owner` and `details.epoch` while another owner has a lease that has not run out
   */
  claim(id: string, owner: string, ttlMs: number, options?: ClaimOptions): Promise<Lease>;
  /**
   * Extends the lease to the `ttlMs` of its claim, from now on.
   *
   * @throws `storage` with the reason `fenced`
   */
  renew(lease: Lease): Promise<void>;
  /** Ends the lease, so that another owner can claim at once. Does nothing when the lease is not the current one. */
  release(lease: Lease): Promise<void>;
  /**
   * Resolves when another owner may claim: the lease was released, its holder is gone, or its time is over. It may resolve too early. Resolves
   * when `signal` fires, too. A log without it is asked by claims, again and again.
   */
  freed?(id: string, signal: AbortSignal): Promise<void>;
  /**
   * Adds a record, whole or not at all. When two writers append the same revision, one of them is refused.
   *
   * @param options.barrier true: resolves when the record would survive a crash. False: the log may resolve earlier
   * @throws `storage` with the reason `fenced`, also when the record has another epoch than the lease; with `conflict` when its
   *   revision is not the next one; without a reason when the record is not JSON or cannot be stored
   */
  append(lease: Lease, record: LogRecord, options: { readonly barrier: boolean }): Promise<void>;
  /** Reads the last snapshot and every record after it. A session that does not exist is an empty log with the revision 0. */
  load(id: string): Promise<LoadedLog>;
  /**
   * Returns every record after a revision: first those in the log, then each new one as it is appended. No record is lost or
   * returned twice, however slow the reader is. It ends when `signal` fires.
   *
   * @param after the revision that the reader has; 0 for none
   * @throws `storage` with the reason `gap` when the log no longer has the record after this revision, when its own revision is
   *   lower; with `removed` when the session is removed after the reader has had a record
   */
  tail(id: string, after: number, signal: AbortSignal): AsyncIterable<LogRecord>;
  /**
   * Stores the state as of a revision. The log may then drop the records up to it.
   *
   * @param revision the revision of the last record that is folded into `state`
   * @throws `storage` with the reason `fenced`, or `conflict` when the log has no such revision or a later snapshot
   */
  snapshot(lease: Lease, revision: number, state: SessionState): Promise<void>;
  /** Returns every session of which something is stored, that with the newest record first. */
  list(): Promise<readonly ListedSession[]>;
  /** Sets the title or the note of a session in {@link SessionLog.list}; a field that is not given stays. Needs no lease. */
  describe(
    id: string,
    about: { readonly title?: string | undefined; readonly note?: string | undefined },
  ): Promise<void>;
  /** Removes a session with all its records. Leases from before are refused for ever, with the reason `removed`. Needs no lease. */
  remove(id: string): Promise<void>;
  /**
   * Opens a channel between the writer and the followers of a session: commands, receipts, pings. Without it the commands of followers
   * reject `unsupported`. Its messages are not stored.
   */
  channel?(id: string): LogChannel;
}

/** Options of {@link SessionLog.claim}. */
export interface ClaimOptions {
  /** The epoch of the lease that is taken away from its holder. */
  readonly steal?: number | undefined;
}

/** The right to write to the log of a session. */
export interface Lease {
  /** The id of the session. */
  readonly id: string;
  /** Rises by one with each claim. */
  readonly epoch: number;
  /** The revision of the log when the lease was given; 0 for an empty log. The next record has the one after it. */
  readonly revision: number;
}

/** Operations that were written together. A reader has either all or none of them. */
export interface LogRecord {
  /** The version of the stored form. A reader that meets a newer one than its own only reads. */
  readonly version: number;
  /** Rises by one with each record of a session; the first is 1. The cursor of readers. */
  readonly revision: number;
  /** The epoch of the writer. */
  readonly epoch: number;
  readonly operations: readonly Operation[];
}

/** All that is needed to open a session: the state at a revision, and the records after it. */
export interface LoadedLog {
  /** The last snapshot; null when there is none, and the records begin at revision 1. */
  readonly snapshot: SessionState | null;
  /** The revision of the last record, from which `tail` goes on; 0 for an empty log. */
  readonly revision: number;
  /** The records after the snapshot, in order. */
  readonly records: readonly LogRecord[];
  /** The reason for which the log ends here: what follows is not as it was written. Undefined for a log that is whole. */
  readonly damage?: AgentSessionError;
}

/** A session in the list of a log. */
export interface ListedSession {
  readonly id: string;
  /** The first line of the first message, until it is described. Empty for a session without a message, and in a log that makes no titles. */
  readonly title: string;
  readonly note?: string;
  /** The time of the last record; without one, that of the first description or snapshot. Milliseconds since the epoch. */
  readonly updatedAt: number;
}

/** One end of the channel of a session. */
export interface LogChannel {
  /**
   * Sends a message to the readers of all other ends, in the order of the calls. Returns before it arrives.
   *
   * @throws `storage` when the message is not JSON
   */
  post(message: JsonObject): void;
  /** Returns the messages that other ends post from this call on. It ends when `signal` fires. */
  messages(signal: AbortSignal): AsyncIterable<JsonObject>;
}

/** How a session is connected to its log. */
export interface Link {
  /**
   * `writer`: the session holds the lease. `follower`: another session does, and carries out the commands of this one. `read-only`: a
   * session that cannot be changed here, as the log has no channel, as a record of it has a newer version, or as it was removed.
   */
  readonly role: 'writer' | 'follower' | 'read-only';
  /** Whether the log has been read. */
  readonly open: boolean;
  /** Whether the log stores the operations. While false, the newest operations are in this page alone. */
  readonly saved: boolean;
  /**
   * The ids of the domains whose state the pages of this session do not share: another page has changed it, and this page still has the state from before. An undo
   * in this page finds those changes absent. A writer that has taken over from another page may have the field; other sessions have none.
   */
  readonly behind?: readonly string[] | undefined;
}
