import {
  isJsonObject,
  toStored,
  type LoadedLog,
  type LogRecord,
  type Operation,
  type SessionState,
} from '@handrail/session';

const KEY = 'handrail.log';
const VERSION = 1;

/** The log of the chat in the storage of this tab: the state as of an operation, and a record for each write after it. */
export class ChatLog {
  /** The number of the last record; null while the storage may lack operations, until the next snapshot. */
  private last: number | null = null;
  /** The `sequence` of the state in the last snapshot. */
  private from = 0;

  constructor(private readonly storage: Storage) {}

  /** True when each operation so far is in the storage, or can follow in a record. */
  get isWhole(): boolean {
    return this.last !== null;
  }

  /** Reads what an earlier page wrote; null for nothing. Throws where it is no JSON. */
  load(): Pick<LoadedLog, 'snapshot' | 'records'> | null {
    const saved = this.storage.getItem(KEY);
    if (saved === null) return null;
    const snapshot: unknown = JSON.parse(saved);
    if (!isJsonObject(snapshot)) throw new Error('It is no log.');
    const records: LogRecord[] = [];
    for (let text; (text = this.storage.getItem(keyOf(records.length + 1))) !== null;)
      records.push(JSON.parse(text) as LogRecord);
    return { snapshot: snapshot as unknown as SessionState, records };
  }

  /** Replaces everything by a state, which is less than all its operations. Throws when the storage is full. */
  replace(state: SessionState): void {
    this.last = null;
    this.storage.setItem(KEY, JSON.stringify(state));
    this.removeRecords();
    this.from = state.sequence;
    this.last = 0;
  }

  /** Adds operations. Those that the snapshot has already are left out. Throws when the storage is full. */
  append(operations: readonly Operation[]): void {
    const news = operations.filter(({ sequence }) => sequence > this.from);
    if (this.last === null || news.length === 0) return;
    const revision = this.last + 1;
    const record: LogRecord = { version: VERSION, revision, epoch: 1, operations: toStored(news) };
    this.last = null;
    this.storage.setItem(keyOf(revision), JSON.stringify(record));
    this.last = revision;
  }

  remove(): void {
    this.last = null;
    this.storage.removeItem(KEY);
    this.removeRecords();
  }

  /** From the first one on, up to the first that is missing: they are written without a gap. */
  private removeRecords(): void {
    for (let revision = 1; this.storage.getItem(keyOf(revision)) !== null; revision++)
      this.storage.removeItem(keyOf(revision));
  }
}

function keyOf(revision: number): string {
  return `${KEY}.${revision}`;
}
