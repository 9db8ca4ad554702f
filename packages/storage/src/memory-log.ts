import type { Clock, ListedSession, SessionLog } from '@handrail/session';
import { jsonText } from './json-text.js';
import { fenced } from './log-errors.js';
import { MemorySession } from './memory-session.js';

export interface MemoryLogOptions {
  /** The time of leases and of the list. Default: the clock of the platform. */
  readonly clock?: Pick<Clock, 'now'> | undefined;
}

/**
 * A log in memory: for tests, and for several sessions in one page that share a chat. It holds JSON text and keeps the order, the
 * leases and the refusals of a log on a disk; a snapshot drops the records before it. A removed session leaves a few bytes.
 *
 * @example
 * const log = memoryLog();
 * const lease = await log.claim('chat-42', 'tab-1', 5_000);
 * await log.append(lease, { version: 1, revision: 1, epoch: lease.epoch, operations: [] }, { barrier: true });
 * console.log((await log.load('chat-42')).revision); // 1
 */
export function memoryLog({ clock = Date }: MemoryLogOptions = {}): SessionLog {
  /** In the order of their last records. */
  const sessions = new Map<string, MemorySession>();
  const sessionOf = (id: string): MemorySession => {
    const known = sessions.get(id) ?? new MemorySession(id);
    sessions.set(id, known);
    return known;
  };
  const touch = (id: string, session: MemorySession, isRecord: boolean): void => {
    if (!session.touch(clock.now(), isRecord)) return;
    sessions.delete(id);
    sessions.set(id, session);
  };

  return {
    claim: async (id, owner, ttlMs) => sessionOf(id).claim(owner, ttlMs, clock.now()),
    renew: async (lease) => sessionOf(lease.id).renew(lease, clock.now()),
    release: async (lease) => sessionOf(lease.id).release(lease),

    async append(lease, record) {
      const session = sessionOf(lease.id);
      session.check(lease);
      if (record.epoch !== lease.epoch) throw fenced(lease.id, lease.epoch);
      session.records.append(record.revision, jsonText(record, 'record'));
      touch(lease.id, session, true);
    },

    load: async (id) => sessionOf(id).records.load(),
    tail: (id, after, signal) => sessionOf(id).records.tail(after, signal),

    async snapshot(lease, revision, state) {
      const session = sessionOf(lease.id);
      session.check(lease);
      session.records.snapshot(revision, jsonText(state, 'state'));
      touch(lease.id, session, false);
    },

    async list() {
      const listed = Array.from(sessions.values(), (session) => session.listed());
      return listed.filter((one): one is ListedSession => one !== null).reverse();
    },

    async describe(id, about) {
      const session = sessionOf(id);
      session.describe(about);
      touch(id, session, false);
    },

    remove: async (id) => sessionOf(id).remove(),
    channel: (id) => sessionOf(id).channels.open(),
  };
}
