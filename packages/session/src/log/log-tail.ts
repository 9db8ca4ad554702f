import type { AgentSessionError, Clock } from '@banister/provider';
import { isAgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import type { Operation } from '../operations/operation.js';
import type { SessionState } from '../state/session-state.js';
import { StateStore } from '../state/state-store.js';
import { wholeOperations } from '../state/whole-operations.js';
import { foldForeign } from './fold-foreign.js';
import { following } from './following.js';
import { evicted, isLogGone } from './lost-log.js';
import { problemOf, readLogWith, readRecord, type LogPlace, type ReadSaved } from './read-log.js';
import type { SessionCore } from '../session/session-core.js';
import type { LoadedLog, LogRecord, SessionLog } from './session-log.js';

/** After a failure, how long to wait before the log is read again, in milliseconds. */
const AGAIN_MS = 1_000;

/**
 * Returns the records after a revision, and then each new record, until `signal` fires. If the next record is missing, a loaded log comes
 * first, and the records after it follow. A record that the reader already has may come again.
 */
export type ReadAfter = (after: number, signal: AbortSignal) => AsyncIterable<LogRecord | LoadedLog>;

interface LogTailOptions {
  readonly read: ReadAfter;
  readonly clock: Clock;
  readonly core: SessionCore;
  readonly readSaved: ReadSaved;
  /** Called with the operations that are about to be folded. */
  beforeFold(operations: readonly Operation[]): void;
  /** Called with the state that is about to replace the current state. */
  beforeReplace(state: SessionState): void;
  /** Called once, if a record cannot be read, or the log is gone. */
  unreadable(problem: AgentSessionError): void;
}

/** Follows a log that another session writes: folds each record when it is written. */
export class LogTail {
  private readonly aborter = new AbortController();
  private stopTimer = () => {};
  /** The last record that the state includes. */
  private place: LogPlace = { revision: 0, epoch: 0 };

  constructor(private readonly options: LogTailOptions) {}

  /** @param after the last record that the state includes */
  start(after: LogPlace): void {
    this.place = after;
    this.read().catch((error: unknown) => {
      const { clock, unreadable } = this.options;
      if (this.aborter.signal.aborted) return;
      if (isLogGone(error)) unreadable(error);
      // If records were read, the error was a missing record: read again at once. Otherwise the log did not answer: read again later.
      else if (this.place !== after) this.start(this.place);
      else this.stopTimer = clock.schedule(() => this.start(after), AGAIN_MS);
    });
  }

  stop(): void {
    this.aborter.abort();
    this.stopTimer();
  }

  /** The epoch of the last record. */
  get epoch(): number {
    return this.place.epoch;
  }

  /** Returns true if the log has lost records that this reader has. */
  isAheadOf({ revision }: LoadedLog): boolean {
    return this.place.revision > revision;
  }

  private async read(): Promise<void> {
    const { signal } = this.aborter;
    for await (const item of this.options.read(this.place.revision, signal)) {
      if (signal.aborted) return;
      const isRead = 'records' in item ? this.replace(item) : this.add(item);
      if (!isRead) return;
    }
  }

  /**
   * Folds a record; skips a record that arrived before. Returns false if the record cannot be read. Throws if an earlier record is missing.
   */
  private add(record: LogRecord): boolean {
    const { place } = this;
    const { revision } = record;
    if (revision <= place.revision) return true;
    if (revision > place.revision + 1) throw new Error(`Record ${place.revision + 1} is missing.`);
    this.place = record;
    return this.fold(record, place);
  }

  private fold(record: LogRecord, before: LogPlace): boolean {
    const { core, beforeFold, unreadable } = this.options;
    let operations: readonly Operation[];
    try {
      operations = wholeNews(core, readRecord(record, before).operations);
    } catch (error) {
      unreadable(problemOf(record, error));
      return false;
    }
    beforeFold(operations);
    foldForeign(core, operations);
    return true;
  }

  /** Replaces the state with the state of a loaded log. Returns false if the log cannot be read to its end. */
  private replace(loaded: LoadedLog): boolean {
    const { core, readSaved, beforeReplace, unreadable } = this.options;
    const { state, epoch, problem } = readLogWith(loaded, readSaved);
    this.place = { revision: loaded.revision, epoch };
    beforeReplace(state);
    core.replace(state);
    core.publish();
    if (problem !== null) unreadable(problem);
    return problem === null;
  }
}

/**
 * Returns the stored operations after the state, in the form in which they were emitted. The stored end of a turn lacks the text of the
 * turn, which is added here.
 */
export function wholeNews(core: SessionCore, operations: readonly Operation[]): readonly Operation[] {
  const news = following(core.store.sequence, operations);
  const hasEnd = news.some(({ type }) => type === 'completed' || type === 'stopped');
  return hasEnd ? wholeOperations(new StateStore(core.state), news) : news;
}

/** Reads a log as {@link ReadAfter}. Throws `storage` with the reason `removed` or `evicted` if the log is gone. */
export async function* readAfter(
  log: SessionLog,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LogRecord | LoadedLog, void, void> {
  let last = after;
  try {
    for await (const record of log.tail(id, after, signal)) {
      yield record;
      last = record.revision;
    }
  } catch (error) {
    // Records are missing, for example because a snapshot has replaced them.
    if (!isAgentSessionError(error) || error.details['reason'] !== 'gap') throw error;
    const loaded = await log.load(id);
    if (loaded.revision < last) throw evicted(id);
    yield loaded;
    yield* log.tail(id, loaded.revision, signal);
  }
}
