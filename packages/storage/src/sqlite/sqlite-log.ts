import type { SessionLog } from '@banister/session';
import type { Clock } from '@banister/provider';
import { platformClock } from '../platform-clock.js';
import { Polling } from '../polling.js';
import { storedLog } from '../stored-log.js';
import { SqliteFile } from './sqlite-file.js';
import { logTables, sqliteRows } from './sqlite-rows.js';

export interface SqliteLogOptions {
  /**
   * What a record survives after a step of the session has waited for it. `process`: a crash of the process. `power`: also a power
   * failure; each of these writes then waits for the disk, some milliseconds, and blocks the process. Default: `process`.
   */
  readonly survives?: 'process' | 'power' | undefined;
  /** The clock for leases, for the times in the list and for tails. Default: the clock of the platform. */
  readonly clock?: Clock | undefined;
}

/** A log in a file. */
export interface SqliteLog extends SessionLog {
  /** Closes the file. The next call opens it again. */
  close(): void;
}

/**
 * A log in a SQLite file, for Node: it uses `node:sqlite`, or the package `libsql` if this release of Node has no `node:sqlite`. Several
 * processes of one machine can use the file (WAL mode). Readers in other processes look for new records four times a second. It has no
 * `channel`: while another process writes the log, a session is read-only until it takes over.
 *
 * A failed call rejects with an error `storage`; `details.reason` is `quota` (the disk is full), `busy` (another process holds the file),
 * `newer` (a newer release has made the file), `damaged` (the file is not a database any more), `unavailable` (no driver), `failed`, or a
 * reason of {@link SessionLog}.
 *
 * @param path the path of the file, which is created if it does not exist. `:memory:` stores nothing on disk
 * @example
 * const log = sqliteLog('chats.db');
 * const session = createAgentSession({ provider, id: 'chat-42', log });
 */
export function sqliteLog(
  path: string,
  { survives = 'process', clock = platformClock }: SqliteLogOptions = {},
): SqliteLog {
  const file = new SqliteFile(path, logTables, 'conversations');
  const rows = sqliteRows(file, survives === 'power');
  const changes = new Polling(clock, () => file.hasChanged());
  return { ...storedLog({ rows, clock, signs: null, changes }), close: () => file.close() };
}
