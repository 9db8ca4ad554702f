import type { LoadedLog, LogRecord, SessionState } from '@handrail/session';
import { Bell } from './bell.js';
import { gap } from './log-errors.js';

/**
 * A record in the list. Readers follow `next`, so that a record which the log has dropped stays in memory exactly as long as a slow
 * reader is before it.
 */
interface Entry {
  readonly revision: number;
  readonly text: string;
  next?: Entry;
}

const start = (): Entry => ({ revision: 0, text: '' });

/** The records of one session, and its last snapshot. */
export class MemoryRecords {
  private snapshotText: string | null = null;
  /** The entry before the first record that is kept; its revision is that of the snapshot. */
  private base = start();
  private last = this.base;
  /** Rises when the session is removed. */
  private life = 0;
  private readonly changed = new Bell();

  constructor(private readonly id: string) {}

  append(revision: number, text: string): void {
    this.last = this.last.next = { revision, text };
    this.changed.ring();
  }

  /** Stores the snapshot, and drops the records up to its revision, which is one of those that are kept. */
  snapshot(revision: number, text: string): void {
    this.base = this.entryAt(revision)!;
    this.snapshotText = text;
  }

  load(): LoadedLog {
    const records: LogRecord[] = [];
    for (let entry = this.base.next; entry; entry = entry.next) records.push(recordOf(entry));
    const snapshot = this.snapshotText === null ? null : (JSON.parse(this.snapshotText) as SessionState);
    return { snapshot, revision: this.last.revision, records };
  }

  async *tail(after: number, signal: AbortSignal): AsyncGenerator<LogRecord, void, void> {
    let cursor = after;
    let entry = this.entryAt(cursor);
    let { life } = this;
    while (!signal.aborted) {
      if (life !== this.life) {
        life = this.life;
        entry = cursor === 0 ? this.entryAt(0) : undefined;
      }
      if (!entry) throw gap(this.id, cursor);
      if (!entry.next) await this.changed.wait(signal);
      else {
        entry = entry.next;
        cursor = entry.revision;
        yield recordOf(entry);
      }
    }
  }

  clear(): void {
    this.base = this.last = start();
    this.snapshotText = null;
    this.life++;
    this.changed.ring();
  }

  /** Returns the entry of a revision that is kept, or that a reader can go on from. */
  private entryAt(revision: number): Entry | undefined {
    let entry: Entry | undefined = this.base;
    while (entry && entry.revision !== revision) entry = entry.next;
    return entry;
  }
}

function recordOf({ text }: Entry): LogRecord {
  return JSON.parse(text) as LogRecord;
}
