import type { Clock } from '@banister/provider';
import { Bell } from './bell.js';
import { Channels } from './channels.js';
import { emptyHead, type Head } from './log-head.js';
import { MemoryRecords } from './memory-records.js';

/** The clock of a memory log. Without timers, a wait for a lease does not notice that the lease expires. */
export type MemoryClock = Pick<Clock, 'now'> & Partial<Clock>;

/** One session of a memory log. A removed session stays, so that its epoch never falls. */
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

  /** Resolves when the lease is free, or `signal` aborts. */
  async freed(clock: MemoryClock, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const left = (this.head.holder?.until ?? 0) - clock.now();
      if (left <= 0) return;
      const stopTimer = clock.schedule?.(() => this.leases.ring(), left);
      await this.leases.wait(signal);
      stopTimer?.();
    }
  }
}
