import type { SessionLog } from '@banister/session';
import * as heads from './log-head.js';
import { rowOf } from './log-row.js';
import { orphansOf } from './orphans.js';
import { loadRows, tailRows } from './read-rows.js';
import { storedLeases } from './stored-leases.js';
import type { StoredLogParts } from './stored-log-parts.js';

/** Returns a log over a database. `log-head.ts` holds the rules; each method is one transaction. */
export function storedLog(parts: StoredLogParts): Omit<SessionLog, 'channel'> {
  const { rows, clock, changes, signs } = parts;
  return {
    ...storedLeases(parts),

    async append(lease, record, { barrier, open }) {
      const row = rowOf(record.revision, record, 'record');
      await rows.change(
        lease.id,
        (head, isRepeated) => {
          const isThere =
            head.epoch === lease.epoch && head.revision === row.revision && head.sum === row.sum;
          if (isRepeated && isThere) return { head };
          const appended = { record, sum: row.sum, open };
          return { head: heads.appended(head, lease, appended, clock.now()), record: row };
        },
        { durable: barrier },
      );
      changes.announce(lease.id);
    },

    load: (id) => loadRows(rows, id),
    tail: (id, after, signal) => tailRows(rows, changes, id, after, signal),

    async snapshot(lease, revision, state) {
      const row = rowOf(revision, state, 'state');
      const snapshot = (await rows.pack?.(row)) ?? row;
      await rows.change(lease.id, (head) => ({
        head: heads.withSnapshot(head, lease, revision, clock.now()),
        snapshot,
      }));
    },

    orphans: (signal) => orphansOf({ heads: () => rows.openHeads(), clock, signs }, signal),

    list: async (query) => heads.listOf(await rows.heads(), query),
    async describe(id, about) {
      await rows.change(id, (head) => ({ head: heads.described(head, about, clock.now()) }));
    },
    async remove(id) {
      await rows.change(id, (head) => ({ head: heads.removed(head), clear: true }));
      changes.announce(id);
    },
  };
}
