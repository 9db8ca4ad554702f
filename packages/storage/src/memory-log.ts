import type { SessionLog } from '@banister/session';
import * as heads from './log-head.js';
import { rowOf } from './log-row.js';
import { MemorySession, type MemoryClock } from './memory-session.js';
import { orphansOf } from './orphans.js';
import { platformClock } from './platform-clock.js';

export interface MemoryLogOptions {
  /** The clock for leases and for the times in the list. Default: the clock of the platform. */
  readonly clock?: MemoryClock | undefined;
}

/**
 * A log in memory: for tests, and for several sessions in one page that share a chat. Like a log on disk it stores JSON, keeps the order,
 * checks leases and refuses invalid writes. A snapshot drops the records before it. A removed session leaves a few bytes.
 *
 * @example
 * const log = memoryLog();
 * const lease = await log.claim('chat-42', 'tab-1', 5_000);
 * await log.append(lease, { version: 1, revision: 1, epoch: lease.epoch, operations: [] }, { barrier: true });
 * console.log((await log.load('chat-42')).revision); // 1
 */
export function memoryLog({ clock = platformClock }: MemoryLogOptions = {}): SessionLog {
  const sessions = new Map<string, MemorySession>();
  const sessionOf = (id: string): MemorySession => {
    const known = sessions.get(id) ?? new MemorySession(id);
    sessions.set(id, known);
    return known;
  };
  const allHeads = () => Array.from(sessions.values(), ({ head }) => head);

  return {
    async claim(id, owner, ttlMs, { steal } = {}) {
      const session = sessionOf(id);
      const now = clock.now();
      session.head = heads.claimed(session.head, { owner, ttlMs, until: now + ttlMs }, now, steal);
      return heads.leaseOf(session.head);
    },
    async renew(lease) {
      const session = sessionOf(lease.id);
      session.head = heads.renewed(session.head, lease, clock.now());
    },
    async release(lease) {
      const session = sessionOf(lease.id);
      session.head = heads.released(session.head, lease);
      session.leases.ring();
    },
    freed: (id, signal) => sessionOf(id).freed(clock, signal),

    async append(lease, record, { open }) {
      const session = sessionOf(lease.id);
      const { text, sum } = rowOf(record.revision, record, 'record');
      session.head = heads.appended(session.head, lease, { record, sum, open }, clock.now());
      session.records.append(text);
    },

    load: async (id) => sessionOf(id).records.load(),
    tail: (id, after, signal) => sessionOf(id).records.tail(after, signal),

    async snapshot(lease, revision, state) {
      const session = sessionOf(lease.id);
      const { text } = rowOf(revision, state, 'state');
      session.head = heads.withSnapshot(session.head, lease, revision, clock.now());
      session.records.snapshot(revision, text);
    },

    orphans: (signal) => orphansOf({ heads: async () => allHeads(), clock, signs: null }, signal),

    list: async (query) => heads.listOf(allHeads(), query),
    async describe(id, about) {
      const session = sessionOf(id);
      session.head = heads.described(session.head, about, clock.now());
    },
    async remove(id) {
      const session = sessionOf(id);
      session.head = heads.removed(session.head);
      session.records.clear();
      session.leases.ring();
    },
    channel: (id) => sessionOf(id).channels.open(),
  };
}
