import { Bell } from './bell.js';
import { Channels } from './channels.js';
import { emptyHead, type Head } from './log-head.js';
import { MemoryRecords } from './memory-records.js';

/** One session of a memory log. It stays when the session is removed, so that its epoch never falls. */
export class MemorySession {
  head: Head;
  readonly records: MemoryRecords;
  readonly channels = new Channels();
  /** Rings when the lease changes. */
  readonly leases = new Bell();

  constructor(id: string) {
    this.head = emptyHead(id);
    this.records = new MemoryRecords(id);
  }
}
