import type { SessionLog } from '@banister/session';
import type { Clock } from '@banister/provider';
import { Broadcast } from './indexed-db/broadcast.js';
import { createStores, Database } from './indexed-db/database.js';
import { indexedDbRows } from './indexed-db/indexed-db-rows.js';
import { keepStorage } from './indexed-db/keep-storage.js';
import { LockSigns } from './indexed-db/lock-signs.js';
import { platformClock } from './platform-clock.js';
import { Polling } from './polling.js';
import { storedLog } from './stored-log.js';

export interface IndexedDbLogOptions {
  /** The name of the database. All logs of an origin with the same name share their sessions. Default: `banister`. */
  readonly name?: string | undefined;
  /** The clock for leases and for the times in the list. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/**
 * A log in the browser: sessions outlive the page, and all tabs of an origin share them.
 *
 * If a step of the session waits for a record, the record is written with durability `strict`: it survives a power failure if the
 * browser supports that. Streamed text and snapshots use `relaxed`: they survive a crash of the page and of the browser.
 *
 * If the browser has Web Locks, a lease lasts until it is released or its page ends: it does not expire and is never renewed.
 * Without Web Locks, such as on a page without https, a lease expires. Without `BroadcastChannel` the log has no `channel`.
 *
 * At the first record of a session the log asks the browser, once a page, not to clear its storage (`navigator.storage.persist()`).
 *
 * A failed call rejects with an error `storage` that has words for the user; `details.reason` is `quota`, `unavailable` (private window,
 * or blocked by settings), `blocked` (another tab has an earlier release open), `no-answer`, `newer` (a newer release wrote the database),
 * `evicted` (the data was cleared while the page was open), `connection` (the browser dropped the connection twice), `failed`, or a
 * reason of {@link SessionLog}.
 *
 * @example
 * const session = createAgentSession({ provider, id: 'chat-42', log: indexedDbLog() });
 */
export function indexedDbLog({
  name = 'banister',
  clock = platformClock,
}: IndexedDbLogOptions = {}): SessionLog {
  const rows = indexedDbRows(new Database(name, clock, 'conversations', createStores));
  const locks = globalThis.navigator?.locks as LockManager | undefined;
  const signs = locks ? new LockSigns(locks, name) : null;
  const broadcast = typeof BroadcastChannel === 'undefined' ? null : new Broadcast(`banister:${name}`);
  const log = storedLog({ rows, clock, signs, changes: broadcast ?? new Polling(clock) });
  return {
    ...log,
    async append(lease, record, options) {
      await log.append(lease, record, options);
      if (record.revision === 1) void keepStorage();
    },
    ...(broadcast && { channel: (id: string) => broadcast.channel(id) }),
  };
}
