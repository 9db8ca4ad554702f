import {
  isAgentSessionError,
  type Operation,
  type SavedConversation,
  type SessionLog,
} from '@banister/session';
import { initialState } from '@banister/session/operations';
import { type Lease, type LogChannel, type LogRecord, savedState } from '@banister/session/log';
import { assert, assertEqual, within } from '../assert.js';

/** A log that a test may write to. It must be empty. */
export interface LogFixture {
  readonly log: SessionLog;
  /** A second connection to the same log, like another tab or process. Default: `log` itself. */
  readonly other?: SessionLog | undefined;
  /** Advances the clock of the log by `ms` milliseconds. Default: waits in real time. */
  pass?(ms: number): void | Promise<void>;
  dispose?(): void | Promise<void>;
}

/** So long that a lease does not expire during a test, in milliseconds. */
export const LONG = 600_000;

/** What the facts of a log share: a session, its writer and its readers. */
export class LogStage {
  readonly id = 'chat-1';
  readonly log: SessionLog;
  readonly other: SessionLog;
  private readonly ends: AbortController[] = [];

  /** @param patienceMs how long an answer of the log may take, in milliseconds */
  constructor(
    private readonly fixture: LogFixture,
    private readonly patienceMs: number,
  ) {
    this.log = fixture.log;
    this.other = fixture.other ?? fixture.log;
  }

  /** Advances the time of the log. */
  async pass(ms: number): Promise<void> {
    if (this.fixture.pass) await this.fixture.pass(ms);
    else await new Promise((resolve) => setTimeout(resolve, ms));
  }

  claim(owner = 'first', ttlMs = LONG, id = this.id): Promise<Lease> {
    return within(this.patienceMs, this.log.claim(id, owner, ttlMs), 'the claim');
  }

  /** Appends a record for each text. */
  async write(lease: Lease, from: number, ...texts: string[]): Promise<void> {
    for (const [index, text] of texts.entries())
      await this.append(lease, recordOf(lease, from + index, text));
  }

  append(lease: Lease, record: LogRecord, log = this.log): Promise<void> {
    return within(this.patienceMs, log.append(lease, record, { barrier: true }), 'the append');
  }

  /** Returns a controller that aborts at the end of the test. */
  signal(): AbortController {
    const controller = new AbortController();
    this.ends.push(controller);
    return controller;
  }

  /** Waits for the lease, through the second connection. */
  freed(signal: AbortSignal): Promise<void> {
    const { other } = this;
    assert(other.freed !== undefined, 'the log has no method freed; declare it in `skip`');
    return within(this.patienceMs, other.freed(this.id, signal), 'the wait for the lease');
  }

  /** Reads the sessions with open work and without a writer, through the second connection. */
  orphans(controller = new AbortController()): Reader<string> {
    const { other } = this;
    return this.reader((signal) => {
      assert(other.orphans !== undefined, 'the log has no method orphans; declare it in `skip`');
      return other.orphans(signal);
    }, controller);
  }

  /** Resolves with the next orphan. Advances the time of the log until the orphan comes, by two seconds at most. */
  async orphan(reader: Reader<string>): Promise<string> {
    const reading = reader.take(1);
    let isRead = false;
    reading.then(
      () => (isRead = true),
      () => (isRead = true),
    );
    for (let ms = 0; ms < 2_000 && !isRead; ms += 100) {
      await this.pass(100);
      // A database answers in real time.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return (await reading)[0]!;
  }

  /** Waits until an end of a channel listens. */
  listening(channel: LogChannel): Promise<void> {
    return within(this.patienceMs, channel.listening, 'the wait until a channel listens');
  }

  /** Reads the records after a revision, through the second connection. */
  tail(after: number, controller = new AbortController()): Reader<LogRecord> {
    return this.reader((signal) => this.other.tail(this.id, after, signal), controller);
  }

  /** Reads an iterable until the end of the test at the latest. */
  reader<T>(open: (signal: AbortSignal) => AsyncIterable<T>, controller = new AbortController()): Reader<T> {
    this.ends.push(controller);
    return new Reader(open(controller.signal), controller, this.patienceMs);
  }

  /** Ends all readers and disposes of the log. */
  async clear(): Promise<void> {
    for (const controller of this.ends) controller.abort();
    await this.fixture.dispose?.();
  }
}

/** Reads an iterable step by step. If a step takes too long, it rejects. */
export class Reader<T> {
  private readonly iterator: AsyncIterator<T>;

  constructor(
    source: AsyncIterable<T>,
    readonly controller: AbortController,
    private readonly patienceMs: number,
  ) {
    this.iterator = source[Symbol.asyncIterator]();
  }

  next(): Promise<IteratorResult<T>> {
    return within(this.patienceMs, this.iterator.next(), 'the next item');
  }

  /** Resolves with the next items. Its rejection counts as handled, because a test may await it much later. */
  take(count: number): Promise<readonly T[]> {
    const items = this.collect(count);
    items.catch(() => {});
    return items;
  }

  private async collect(count: number): Promise<readonly T[]> {
    const items: T[] = [];
    while (items.length < count) {
      const { done, value } = await this.next();
      assert(done !== true, `the reader ended after ${items.length} of ${count} items`);
      items.push(value as T);
    }
    return items;
  }
}

/** Returns a record with one text operation. */
export function recordOf(lease: Lease, revision: number, text: string): LogRecord {
  const operations: Operation[] = [
    { type: 'text', sequence: revision, at: 1_000 + revision, turnId: 'turn-1', delta: text },
  ];
  return { version: 1, revision, epoch: lease.epoch, operations };
}

/** Returns the texts of records, each with its revision in front. */
export function textsOf(records: readonly LogRecord[]): readonly string[] {
  return records.map(({ revision, operations }) => {
    const texts = operations.map((operation) =>
      operation.type === 'text' ? operation.delta : operation.type,
    );
    return `${revision} ${texts.join('')}`;
  });
}

/** Resolves with the `storage` error of a refused call. Rejects if the call succeeds, or fails for another reason. */
export async function refused(promise: Promise<unknown>, reason: string, what: string) {
  const error = await errorOf(promise, what);
  assertEqual(error.details['reason'], reason, `details.reason of ${what}`);
  return error;
}

/** Resolves with the `storage` error with which a promise rejects. */
export async function errorOf(promise: Promise<unknown>, what: string) {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert(error !== undefined, `${what} must be refused`);
  assert(isAgentSessionError(error), `${what} must reject an AgentSessionError: ${String(error)}`);
  assertEqual(error.code, 'storage', `the code of the error of ${what}`);
  return error;
}

/** Returns a snapshot of a session whose answer has this text. */
export function snapshotOf(text: string): SavedConversation {
  return savedState({ ...initialState(), currentText: text });
}

/** Returns the text of a snapshot; undefined if there is no snapshot, or if it has no text. */
export function textOfSnapshot(snapshot: SavedConversation | null): unknown {
  return snapshot?.session?.['currentText'];
}
