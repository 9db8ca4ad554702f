import type { SavedConversation } from '@banister/session';
import type { LoadedLog, LogRecord } from '@banister/session/log';
import { Bell } from './bell.js';
import { gap, removedSince } from './log-errors.js';

/** The records of one session, and its last snapshot. A reader that is behind the snapshot is refused, because those records are dropped. */
export class MemoryRecords {
  private snapshotText: string | null = null;
  /** The revision of the snapshot; 0 without one. */
  private base = 0;
  /** The records after the snapshot. */
  private texts: string[] = [];
  /** Rises when the session is removed. */
  private life = 0;
  private readonly changed = new Bell();

  constructor(private readonly id: string) {}

  private get revision(): number {
    return this.base + this.texts.length;
  }

  append(text: string): void {
    this.texts.push(text);
    this.changed.ring();
  }

  /** Stores the snapshot, and drops the records up to `revision`. The caller has checked that `revision` is in the log. */
  snapshot(revision: number, text: string): void {
    this.texts = this.texts.slice(revision - this.base);
    this.base = revision;
    this.snapshotText = text;
  }

  load(): LoadedLog {
    const snapshot = this.snapshotText === null ? null : (JSON.parse(this.snapshotText) as SavedConversation);
    return { snapshot, revision: this.revision, records: this.texts.map(recordOf) };
  }

  async *tail(after: number, signal: AbortSignal): AsyncGenerator<LogRecord, void, void> {
    let cursor = after;
    let { life } = this;
    while (!signal.aborted) {
      if (life !== this.life && cursor > 0) throw removedSince(this.id);
      life = this.life;
      if (cursor < this.base || cursor > this.revision) throw gap(this.id, cursor);
      if (cursor === this.revision) await this.changed.wait(signal);
      else yield recordOf(this.texts[cursor++ - this.base]!);
    }
  }

  clear(): void {
    this.base = 0;
    this.texts = [];
    this.snapshotText = null;
    this.life++;
    this.changed.ring();
  }
}

function recordOf(text: string): LogRecord {
  return JSON.parse(text) as LogRecord;
}
