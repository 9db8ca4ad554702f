import type { JsonValue } from '@banister/provider';
import {
  AgentSessionError,
  isAgentSessionError,
} from '@banister/provider/internal/errors/agent-session-error';
import { sentence } from '@banister/provider/internal/errors/sentence';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import type { TurnOutcome } from '../conversation/turn-record.js';
import { isPiece, leafOf, type Operation } from '../operations/operation.js';
import type { Journal } from '../ports/journal.js';
import type { Ports } from '../ports/ports.js';
import type { Signal } from '../signals/signals-core.js';
import { isLeaseLost } from './lost-log.js';
import type { Link } from './session-log.js';

/**
 * The longest time, in milliseconds, for which an operation stays in memory if no step waits for the operation. Also the shortest time between
 * two writes of text for which no step waits.
 */
const FLUSH_MS = 50;
/** The largest number of characters of text that wait for {@link FLUSH_MS}. */
const FLUSH_LENGTH = 16_384;
/** A write without an answer after this time, in milliseconds, counts as refused. */
const WRITE_MS = 5_000;
/** With the option `whenUnsaved: 'stop'`, the time between two attempts of a write that is refused, in milliseconds. */
const RETRY_MS = 1_000;
/** With the option `whenUnsaved: 'stop'`, the longest time for which steps wait after a refused write, in milliseconds. */
const HOLD_MS = 30_000;

/** The session whose operations are written. */
export interface JournalHost {
  readonly link: Signal<Link>;
  /** The error with which `fenced` was called; null before. */
  readonly fencedBy: AgentSessionError | null;
  /** Called once, when the journal reports that another writer owns the session, or that the session was removed. */
  fenced(error: AgentSessionError): void;
  /** Called before the steps that waited for {@link HOLD_MS} reject. Leaves the running turn as it stands. */
  putDown(error: AgentSessionError): void;
  /**
   * Called after `putDown`, when the journal has stored all operations.
   *
   * @param epoch the epoch of the last `ownerChanged`; 0 if there was none
   */
  savedAgain(epoch: number): void;
}

/** The time from `putDown` until the journal accepts a write. */
export interface Outage {
  /** The error with which commands are refused. */
  readonly error: AgentSessionError;
  /** Resolves when the journal has stored all operations, or another writer owns the session. */
  readonly ended: Promise<void>;
}

/** A write that the journal has not answered. */
interface Write {
  /** The number of operations that are stored after the write is accepted. */
  readonly upTo: number;
  /** True after {@link WRITE_MS} without an answer. Then no other write begins, because this write may still be accepted. */
  isLate: boolean;
  stopTimer(): void;
}

/** A step that waits until operations are written. */
interface Waiter {
  readonly upTo: number;
  resolve(): void;
  reject(error: AgentSessionError): void;
}

/**
 * Whether the journal has taken the operations.
 * - `saved`: barriers wait for their write.
 * - `refused`: the journal refused operations for which no step waited. The next barrier writes them again, and waits.
 * - `unsaved`: a barrier was refused. Later barriers write again but do not wait, until a write succeeds.
 * - `closed`: nothing is written any more.
 */
type Health =
  | { readonly at: 'saved' | 'closed'; readonly error?: undefined; stopHold?: undefined; outage?: undefined }
  | {
      readonly at: 'refused';
      /** The error of the last refused write. */
      readonly error: AgentSessionError;
      /** Stops the timer that ends the wait of the held steps; undefined while no step is held. */
      readonly stopHold?: () => void;
      readonly outage?: undefined;
    }
  | {
      readonly at: 'unsaved';
      readonly error: AgentSessionError;
      readonly stopHold?: undefined;
      /** undefined if steps go on without their write. */
      readonly outage?: Outage & { end(): void };
    };

/**
 * Writes the operations of a session to its journal, in order, without a gap, one write at a time. A position is a count of operations,
 * from the first operation that `take` received.
 *
 * With `stops` a barrier is never passed without its write. While `refused`, barriers keep waiting, and the write is made again every
 * {@link RETRY_MS}. After {@link HOLD_MS} the writer is `unsaved`: barriers reject, and the write is still made again.
 */
export class JournalWriter {
  private health: Health = { at: 'saved' };
  /** The operations that are not written yet, including the operations of the current write. */
  private readonly queue: Operation[] = [];
  private written = 0;
  private current: Write | null = null;
  /** The write that is due after the current write, because a barrier or a flush requested it; null if none is. */
  private due: 'barrier' | 'flush' | null = null;
  private waiters: readonly Waiter[] = [];
  /** The characters of text in the operations that are not part of a write yet. */
  private textLength = 0;
  /** The time at which the last write with text began. */
  private textAt = -Infinity;
  private stopFlushTimer: (() => void) | null = null;
  /** With `stops`, how long steps wait after a refused write, in milliseconds; otherwise null. */
  private holdMs: number | null;
  /** The epoch of the last `ownerChanged`. */
  private epoch = 0;

  /** @param stops the option `whenUnsaved` is `stop` */
  constructor(
    private readonly journal: Journal,
    private readonly ports: Pick<Ports, 'clock' | 'reportError'>,
    private readonly host: JournalHost,
    stops = false,
  ) {
    this.holdMs = stops ? HOLD_MS : null;
  }

  /** undefined while the journal takes writes, and while steps still wait for a refused write. */
  get outage(): (Outage & { end(): void }) | undefined {
    return this.health.outage;
  }

  private get stops(): boolean {
    return this.holdMs !== null;
  }

  /** Adds an operation that has been folded. */
  take(operation: Operation): void {
    if (this.health.at === 'closed') return;
    this.queue.push(operation);
    if (operation.type === 'ownerChanged') this.epoch = operation.epoch;
    const leaf = leafOf(operation);
    if ('delta' in leaf) this.textLength += leaf.delta.length;
    if (this.health.at !== 'saved') return;
    const delay = this.textLength >= FLUSH_LENGTH ? 0 : this.delayOf(operation);
    if (delay <= 0) this.request('flush');
    else this.startFlushTimer(delay);
  }

  /** Writes all operations taken until now, see `TurnJournal.barrier`. */
  barrier(): void | Promise<void> {
    const { host } = this;
    if (host.fencedBy) return rejected(host.fencedBy);
    if (this.queue.length === 0) return;
    const waits = this.stops || this.health.at !== 'unsaved';
    const upTo = this.taken;
    this.request('barrier');
    if (!waits || this.written >= upTo) return;
    const lasting = host.fencedBy ?? this.outage?.error;
    if (lasting) return rejected(lasting);
    if (!this.stops && (this.current === null || this.current.isLate)) {
      // The write was refused synchronously, or a late write keeps the next one from starting.
      const error = this.health.error!;
      this.setHealth({ at: 'unsaved', error });
      return rejected(error);
    }
    const written = new Promise<void>((resolve, reject) => {
      this.waiters = [...this.waiters, { upTo, resolve, reject }];
    });
    written.catch(() => {});
    this.startHold();
    return written;
  }

  /** Called before an effect is taken back. With `stops` it waits like a barrier; otherwise no effect waits. */
  recorded(): void | Promise<void> {
    return this.stops ? this.barrier() : undefined;
  }

  /** Writes the end of a turn. A refused write does not change the outcome of the turn; the error has the outcome in its details. */
  end(outcome: TurnOutcome | null): Promise<void> | undefined {
    const written = this.barrier()?.catch((error: AgentSessionError) => {
      if (error === this.host.fencedBy) throw error;
      const details = { ...error.details, outcome: outcome as unknown as JsonValue };
      const message = 'The turn has ended, but its end could not be saved.';
      throw new AgentSessionError('storage', message, { details, cause: error });
    });
    written?.catch(() => {});
    return written;
  }

  /** Writes the remaining operations, even after a refusal, and stops. */
  async close(): Promise<void> {
    this.holdMs = null;
    const { health } = this;
    // So that the barrier waits for its write.
    if (health.at === 'unsaved') this.health = { at: 'refused', error: health.error };
    await Promise.resolve(this.barrier()).catch(() => {});
    const { error } = this.health;
    this.stop();
    if (error) this.reject(error);
  }

  private get taken(): number {
    return this.written + this.queue.length;
  }

  /**
   * Returns for how long an operation may wait for a write, in milliseconds. After a quiet time, text is written at once, so that a reader
   * sees the first word without a delay. Other operations always wait: a barrier often follows, and would otherwise wait for two writes.
   */
  private delayOf(operation: Operation): number {
    if (isWrittenAtOnce(operation)) return 0;
    if (!isPiece(leafOf(operation)) || this.textLength === 0) return FLUSH_MS;
    const quiet = operation.at - this.textAt;
    // The clock may have been set back.
    return quiet < 0 ? 0 : FLUSH_MS - quiet;
  }

  /** Requests a write of all operations taken until now, unless the current write has them all. */
  private request(by: 'barrier' | 'flush'): void {
    if (this.taken > (this.current?.upTo ?? this.written) && this.due !== 'barrier') this.due = by;
    this.startNext();
  }

  private startFlushTimer(ms = FLUSH_MS): void {
    this.stopFlushTimer ??= this.ports.clock.schedule(() => {
      this.stopFlushTimer = null;
      this.request('flush');
    }, ms);
  }

  private stopTimer(): void {
    this.stopFlushTimer?.();
    this.stopFlushTimer = null;
  }

  /** If a write is requested and no write is running, starts a write of all operations taken until now. */
  private startNext(): void {
    const barrier = this.due === 'barrier' || this.waiters.length > 0;
    if (this.current !== null || this.health.at === 'closed' || !(barrier || this.due)) return;
    this.due = null;
    this.stopTimer();
    const hasText = this.textLength > 0;
    this.textLength = 0;
    const write: Write = { upTo: this.taken, isLate: false, stopTimer: () => {} };
    this.current = write;
    try {
      if (hasText) this.textAt = this.ports.clock.now();
      const answer = this.journal.write([...this.queue], { barrier });
      if (typeof answer?.then !== 'function') return this.accepted(write);
      write.stopTimer = this.ports.clock.schedule(() => this.timedOut(write), WRITE_MS);
      answer.then(
        () => this.accepted(write),
        (error: unknown) => this.refused(write, error),
      );
    } catch (error) {
      this.refused(write, error);
    }
  }

  private accepted(write: Write): void {
    this.answered(write);
    this.queue.splice(0, write.upTo - this.written);
    this.written = write.upTo;
    const done = this.waiters.filter((waiter) => waiter.upTo <= this.written);
    this.waiters = this.waiters.filter((waiter) => waiter.upTo > this.written);
    for (const waiter of done) waiter.resolve();
    if (this.due !== 'barrier' && this.health.at !== 'closed') this.setHealth({ at: 'saved' });
    this.startNext();
    if (this.health.at !== 'saved') return;
    if (this.current === null && this.queue.length > 0) this.startFlushTimer();
  }

  private refused(write: Write, error: unknown): void {
    this.answered(write);
    if (this.health.at === 'closed') return;
    if (isLeaseLost(error)) return this.fence(error);
    // The next barrier tries again.
    this.due = null;
    this.refuse(error);
  }

  /** Called when a write had no answer in time. The later operations wait until the write has an answer. */
  private timedOut(write: Write): void {
    write.isLate = true;
    this.refuse(new Error(`The journal did not answer within ${WRITE_MS / 1000} seconds`));
  }

  /** Rejects the steps that wait for a write with the refusal. With `stops` they keep waiting. */
  private refuse(cause: unknown): void {
    const error = storageError(cause);
    this.stopTimer();
    if (this.stops) return this.hold(error);
    const isAwaited = this.reject(error);
    this.setHealth({ at: isAwaited || this.health.at === 'unsaved' ? 'unsaved' : 'refused', error });
  }

  /** Rejects the steps that wait for a write. Returns false if there are none. */
  private reject(error: AgentSessionError): boolean {
    const { waiters } = this;
    this.waiters = [];
    for (const waiter of waiters) waiter.reject(error);
    return waiters.length > 0;
  }

  private hold(error: AgentSessionError): void {
    const { health } = this;
    if (health.at === 'refused') this.health = { ...health, error };
    else if (!this.outage) this.setHealth({ at: 'refused', error });
    this.startFlushTimer(RETRY_MS);
    if (this.waiters.length > 0) this.startHold();
  }

  private startHold(): void {
    const { health, holdMs } = this;
    if (holdMs === null || health.at !== 'refused' || health.stopHold) return;
    this.health = { ...health, stopHold: this.ports.clock.schedule(() => this.putDown(), holdMs) };
  }

  /** With `stops`: from now on, a refused write holds no step. */
  stopHolding(): void {
    this.holdMs &&= 0;
    this.putDown();
  }

  /** With `stops`, while a write is refused: leaves the running turn, and rejects the steps that wait. */
  private putDown(): void {
    const { health } = this;
    if (!this.stops || health.at !== 'refused') return;
    const { message, details } = health.error;
    const error = new AgentSessionError('storage', message, { details, cause: health.error, retry: 'now' });
    let end!: () => void;
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.setHealth({ at: 'unsaved', error, outage: { error, ended, end } });
    this.host.putDown(error);
    this.reject(error);
  }

  /** Stops, because another writer owns the session, or the session was removed. Waiting steps reject, and nothing more is written. */
  fence(error: AgentSessionError): void {
    if (this.host.fencedBy) return;
    const { host, outage } = this;
    this.stop();
    outage?.end();
    host.fenced(error);
    this.reject(error);
    this.setLink({ role: 'read-only', open: true, saved: false });
  }

  private answered(write: Write): void {
    write.stopTimer();
    this.current = null;
  }

  private stop(): void {
    this.health.stopHold?.();
    this.health = { at: 'closed' };
    this.current?.stopTimer();
    this.stopTimer();
    this.queue.length = 0;
  }

  private setHealth(health: Health): void {
    const { health: before, outage } = this;
    before.stopHold?.();
    this.health = health;
    const saved = health.at === 'saved';
    if (saved && outage) {
      // Before the link shows it, so that an app which waits for it finds the commands permitted.
      this.host.savedAgain(this.epoch);
      outage.end();
    }
    // The operations of `savedAgain` may have been refused.
    if ((before.at === 'saved') !== saved)
      this.setLink({ ...this.host.link.peek(), saved: this.health.at === 'saved' });
  }

  private setLink(link: Link): void {
    try {
      this.host.link.value = link;
    } catch (error) {
      // An effect of the app has thrown.
      this.ports.reportError(error);
    }
  }
}

/**
 * Returns true for operations that are written at once, although no step waits for them. These are the start of a rollback and each effect
 * that moves, so that a session after a reload goes on with the remaining effects. They are also the operations without a turn, because the
 * session may be idle for long after them; except `commandBegan`, which is written with the operation that follows it.
 */
function isWrittenAtOnce(operation: Operation): boolean {
  const { type, turnId } = operation;
  return writtenAtOnce.has(leafOf(operation).type) || (turnId === undefined && type !== 'commandBegan');
}

const writtenAtOnce: ReadonlySet<string> = new Set(['rollbackStarted', 'effectReverted', 'effectReapplied']);

function storageError(cause: unknown): AgentSessionError {
  if (isAgentSessionError(cause) && cause.code === 'storage') return cause;
  return new AgentSessionError(
    'storage',
    sentence(`The conversation could not be saved: ${messageOf(cause)}`),
    {
      cause,
    },
  );
}

/** Returns a rejected promise that may be ignored. */
function rejected(error: AgentSessionError): Promise<void> {
  const promise = Promise.reject<void>(error);
  promise.catch(() => {});
  return promise;
}
