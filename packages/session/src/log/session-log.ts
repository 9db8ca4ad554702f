import type { AgentSessionError, JsonObject } from '@banister/provider';
import type { Operation } from '../operations/operation.js';
import type { SavedConversation } from '../conversation/saved-conversation.js';

/**
 * A store for the logs of sessions: records in order, one writer per session. A session is its log: its state is the fold of the log. A
 * reader that has the state at a revision goes on with the records after that revision.
 *
 * One writer at a time: `claim` gives the writer a lease and raises the epoch of the session by one, and the log refuses every write with
 * the lease of an older epoch. So a writer that slept while another writer took over cannot write.
 *
 * Everything that a log returns is a copy: changing the copy changes neither the log nor the copy of another reader. Methods that return a
 * promise reject and do not throw. An error of the log is an {@link AgentSessionError} with the code `storage`; its `details.reason` is
 *
 * - `fenced`: the lease is not the current lease, because another writer has claimed the session, or the lease was released;
 * - `removed`: the session was removed since the lease was claimed, or while a reader follows it;
 * - `conflict`: the revision does not follow the last revision;
 * - `held`: another owner has the lease; `details.owner` names it, and `details.epoch` is the epoch of its lease;
 * - `gap`: the records after this revision are not in the log; `load` has a state from which to go on.
 *
 * `sessionLogConformance` of `@banister/testing` tests all of this for an implementation.
 *
 * @example
 * const lease = await log.claim('chat-42', 'tab-1', 5_000);
 * const record = { version: 1, revision: lease.revision + 1, epoch: lease.epoch, operations };
 * await log.append(lease, record, { barrier: true });
 */
export interface SessionLog {
  /**
   * The time that a lease of this log lasts, in milliseconds. A session renews its lease after each third of this time. If this time is not a
   * positive number, the session is not opened, and its commands reject `invalid-configuration`. Another session takes over from a writer that does not renew its lease, or that gives no sign of life for this time while a
   * command waits. Default: 5,000.
   */
  readonly leaseMs?: number | undefined;
  /**
   * Claims the lease of a session, which need not exist yet. The epoch rises by one at each claim, even if the owner is the same. It never
   * falls, even if the session is removed.
   *
   * @param id the session
   * @param owner the unique name of the writer, such as a tab or a process
   * @param ttlMs how long the lease holds other owners back without `renew`, in milliseconds. After this time the lease can still write and
   *   be renewed, until the next claim
   * @param options.steal the epoch of a lease that is taken away from its holder, because the holder gives it away, or does not answer. Has
   *   no effect when the session has a later epoch, so that only one of two owners that steal the same lease gets it
   * @throws `storage` with the reason `held`, `details.owner` and `details.epoch` while another owner has a lease that has not expired
   */
  claim(id: string, owner: string, ttlMs: number, options?: ClaimOptions): Promise<Lease>;
  /**
   * Extends the lease: from now on it lasts the `ttlMs` of its claim again.
   *
   * @throws `storage` with the reason `fenced`
   */
  renew(lease: Lease): Promise<void>;
  /** Ends the lease, so that another owner can claim at once. Does nothing if the lease is not the current lease. */
  release(lease: Lease): Promise<void>;
  /**
   * Resolves when another owner may claim: the lease was released, its holder is gone, or its time is over. May resolve too early. Also
   * resolves when `signal` fires. If a log lacks this method, a session claims repeatedly instead.
   */
  freed?(id: string, signal: AbortSignal): Promise<void>;
  /**
   * Adds a record as a whole, or not at all. When two writers append the same revision, one append is refused.
   *
   * @param options see {@link AppendOptions}
   * @throws `storage` with the reason `fenced`, also when the record has another epoch than the lease; with `conflict` when its revision is
   *   not the next one; without a reason when the record is not JSON or cannot be stored
   */
  append(lease: Lease, record: LogRecord, options: AppendOptions): Promise<void>;
  /** Reads the last snapshot and every record after it. A session that does not exist is an empty log with the revision 0. */
  load(id: string): Promise<LoadedLog>;
  /**
   * Returns every record after a revision: first those in the log, then each new one as it is appended. No record is lost or
   * returned twice, however slow the reader is. It ends when `signal` fires.
   *
   * @param after the revision that the reader has; 0 for none
   * @throws `storage` with the reason `gap` when the log no longer has the record after this revision, or when the revision of
   *   the log is lower; with the reason `removed` when the session is removed after the reader has had a record
   */
  tail(id: string, after: number, signal: AbortSignal): AsyncIterable<LogRecord>;
  /**
   * Stores the state as of a revision. The log may then drop the records up to it.
   *
   * @param revision the revision of the last record that is folded into the state
   * @param saved the state, as {@link savedState} returns it
   * @throws `storage` with the reason `fenced`, or `conflict` when the log has no such revision or a later snapshot
   */
  snapshot(lease: Lease, revision: number, saved: SavedConversation): Promise<void>;
  /**
   * Returns every session of which something is stored, the session with the newest record first. Sessions with equal times are in the
   * order of their ids, by code units as `<` compares strings.
   *
   * @param query which of these sessions; default: all
   */
  list(query?: ListQuery): Promise<readonly ListedSession[]>;
  /**
   * Yields the id of each session whose work is open and whose writer is gone: its last record was appended with `open`, and its lease was
   * released, has run out, or belongs to a page that has ended. First yields the sessions for which this is true now, then each further
   * session, at most two seconds after this becomes true for the session. Yields an id again after another writer has claimed the session and
   * is gone too. Several readers get the same ids, and `claim` decides between them. Ends when `signal` fires; throws if the log cannot be
   * read. If a log lacks this method, open work waits until its session is opened.
   *
   * @example
   * for await (const id of log.orphans?.(signal) ?? [])
   *   createAgentSession({ provider, domains, id, log, onInterrupted: 'resume' });
   */
  orphans?(signal: AbortSignal): AsyncIterable<string>;
  /** Sets the title or the note of a session in {@link SessionLog.list}. A field that is not given stays as it is. Needs no lease. */
  describe(
    id: string,
    about: { readonly title?: string | undefined; readonly note?: string | undefined },
  ): Promise<void>;
  /** Removes a session with all its records. Earlier leases are refused forever, with the reason `removed`. Needs no lease. */
  remove(id: string): Promise<void>;
  /**
   * Opens a channel between the writer and the followers of a session, for commands, receipts and pings. Without a channel the commands of
   * followers reject `unsupported`. The messages of the channel are not stored.
   */
  channel?(id: string): LogChannel;
}

/** Options of {@link SessionLog.append}. */
export interface AppendOptions {
  /** True: resolves when the record would survive a crash. False: the log may resolve earlier. */
  readonly barrier: boolean;
  /**
   * Whether work is open after the record, for {@link SessionLog.orphans}: a turn, an undo or a redo has begun and not ended, or the queue
   * would go on by itself. A turn that waits for the user is open too. A log with `orphans` keeps the value with the record. Default: false.
   */
  readonly open?: boolean | undefined;
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
  /** Increases by one with each claim. */
  readonly epoch: number;
  /** The revision of the log when the lease was given; 0 for an empty log. The next record has the next revision. */
  readonly revision: number;
}

/** Operations that were written together. A reader receives either all or none of them. */
export interface LogRecord {
  /** The version of the stored form. A reader with an older release only reads, and does not write. */
  readonly version: number;
  /** Increases by one with each record of a session; the first is 1. Readers use it as their cursor. */
  readonly revision: number;
  /** The epoch of the writer. */
  readonly epoch: number;
  readonly operations: readonly Operation[];
}

/** Everything that is needed to open a session: the state at a revision, and the records after it. */
export interface LoadedLog {
  /** The last snapshot; null if there is none, and then the records begin at revision 1. */
  readonly snapshot: SavedConversation | null;
  /** The revision of the last record, from which `tail` goes on; 0 for an empty log. */
  readonly revision: number;
  /** The records after the snapshot, in order. */
  readonly records: readonly LogRecord[];
  /** Why the log ends here: the rest is not as it was written. Undefined for an undamaged log. */
  readonly damage?: AgentSessionError;
}

/**
 * Which sessions {@link SessionLog.list} returns. A reader that passes the last session of each page as `before` of the next page gets each
 * session once. A session that gets a record meanwhile moves to the beginning of the list, so that a later page does not have it.
 *
 * @example
 * const first = await log.list({ limit: 20 });
 * const second = await log.list({ limit: 20, before: first.at(-1) });
 */
export interface ListQuery {
  /** Only the sessions whose id begins with this string, compared by code units. Default: all. */
  readonly prefix?: string | undefined;
  /** The largest number of sessions to return: an integer, 0 or more. Default: all. */
  readonly limit?: number | undefined;
  /**
   * Only the sessions after this session in the order of the list. A session that is not in the list any more is accepted too. Default: from
   * the beginning.
   */
  readonly before?: Pick<ListedSession, 'id' | 'updatedAt'> | undefined;
}

/** A session in the list of a log. */
export interface ListedSession {
  /** The id of the session. */
  readonly id: string;
  /**
   * The first line of the first message, until `describe` sets a title. Empty for a session without a message, and in a log that makes no
   * titles.
   */
  readonly title: string;
  /** The note that `describe` has set; absent without a note. */
  readonly note?: string;
  /** The time of the last record, in milliseconds since 1970. Without a record, the time of the first description or snapshot. */
  readonly updatedAt: number;
}

/** One of the connected ends of the channel of a session. */
export interface LogChannel {
  /**
   * Sends a message to the readers of all other ends, in the order of the calls. Returns before the message arrives.
   *
   * @throws `storage` when the message is not JSON
   */
  post(message: JsonObject): void;
  /**
   * Returns the messages that other ends post while this end listens: from the moment on in which {@link LogChannel.listening} resolves, and
   * maybe a little earlier. Completes when `signal` fires.
   */
  messages(signal: AbortSignal): AsyncIterable<JsonObject>;
  /**
   * Resolves when this end listens: each reader that `messages` has returned until now gets every message that another end posts from then
   * on. If `messages` listens at once, this is a resolved promise. Read the property after `messages` is called, because each call of
   * `messages` may begin another wait. A session posts nothing until its own end listens. If the messages cannot arrive, `messages` throws
   * the reason, and this promise rejects with the same reason or stays pending.
   *
   * @example
   * const messages = channel.messages(signal);
   * await channel.listening;
   * channel.post({ ping: true }); // the answer is among `messages`
   */
  readonly listening: Promise<void>;
}

/** How a session is connected to its log. */
export interface Link {
  /**
   * `writer`: the session holds the lease. `follower`: another session holds the lease, and carries out the commands of this session.
   * `read-only`: the session cannot be changed here, because the log has no channel, is damaged, or has a record with a newer version,
   * because the session was removed, or because the log cannot be opened and the option `whenUnsaved` is `stop`.
   */
  readonly role: 'writer' | 'follower' | 'read-only';
  /** Whether the log has been read. */
  readonly open: boolean;
  /** Whether the log stores the operations. While false, only this page has the newest operations. */
  readonly saved: boolean;
  /**
   * The ids of the domains whose state this page does not share with the other pages of the session: another page has changed it, and this
   * page still has the earlier state. An undo in this page finds those changes missing. Only a writer that has taken over from another page
   * may have this field.
   */
  readonly behind?: readonly string[] | undefined;
}
