import type { AgentSessionError } from '../errors/agent-session-error.js';
import type { Operation } from '../operations/operation.js';
import type { Clock } from '../ports/clock.js';
import { allHandlers } from '../state/all-handlers.js';
import { StateStore } from '../state/state-store.js';
import { wholeOperations } from '../state/whole-operations.js';
import { foldForeign } from './fold-foreign.js';
import { following } from './following.js';
import { problemOf, readLog, readRecord, type LogPlace } from './read-log.js';
import type { SessionCore } from './session-core.js';
import type { LogRecord, SessionLog } from './session-log.js';

/** The time until the log is read again after it failed, in milliseconds. */
const AGAIN_MS = 1_000;

export interface LogTailOptions {
  readonly log: SessionLog;
  readonly id: string;
  readonly clock: Clock;
  readonly core: SessionCore;
  /** Is called with the operations that are about to be folded. */
  beforeFold(operations: readonly Operation[]): void;
  /** Is called once, at a record that cannot be read. */
  unreadable(problem: AgentSessionError): void;
}

/** Folds the records of a log that another session writes, as they are written. */
export class LogTail {
  private readonly aborter = new AbortController();
  private stopTimer = () => {};

  constructor(private readonly options: LogTailOptions) {}

  /** @param after the record that the state has last */
  start(after: LogPlace): void {
    this.read(after).catch(() => {
      if (this.aborter.signal.aborted) return;
      // Records are missing, for example since a snapshot took their place, or the log does not answer.
      this.stopTimer = this.options.clock.schedule(() => void this.reload(), AGAIN_MS);
    });
  }

  stop(): void {
    this.aborter.abort();
    this.stopTimer();
  }

  private async read(after: LogPlace): Promise<void> {
    const { log, id } = this.options;
    const { signal } = this.aborter;
    let before = after;
    for await (const record of log.tail(id, after.revision, signal)) {
      if (signal.aborted) return;
      const { revision } = record;
      // It arrived before.
      if (revision <= before.revision) continue;
      if (revision > before.revision + 1) throw new Error(`Record ${before.revision + 1} is missing.`);
      if (!this.fold(record, before)) return;
      before = record;
    }
  }

  /** Folds a record; false when it cannot be read. */
  private fold(record: LogRecord, before: LogPlace): boolean {
    const { core, beforeFold, unreadable } = this.options;
    let operations: readonly Operation[];
    try {
      const news = following(core.state.sequence, readRecord(record, before).operations);
      const hasEnd = news.some(({ type }) => type === 'completed' || type === 'stopped');
      operations = hasEnd ? wholeOperations(new StateStore(core.state, allHandlers), news) : news;
    } catch (error) {
      unreadable(problemOf(record, error));
      return false;
    }
    beforeFold(operations);
    foldForeign(core, operations);
    return true;
  }

  private async reload(): Promise<void> {
    const { log, id, core, unreadable } = this.options;
    try {
      const loaded = await log.load(id);
      if (this.aborter.signal.aborted) return;
      const { state, epoch, problem } = readLog(loaded);
      core.replace(state);
      core.publish();
      if (problem === null) this.start({ revision: loaded.revision, epoch });
      else unreadable(problem);
    } catch {
      if (!this.aborter.signal.aborted)
        this.stopTimer = this.options.clock.schedule(() => void this.reload(), AGAIN_MS);
    }
  }
}
