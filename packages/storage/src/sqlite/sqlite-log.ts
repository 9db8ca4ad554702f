import type { Clock, SessionLog } from '@banister/session';
import { platformClock } from '../platform-clock.js';
import { Polling } from '../polling.js';
import { storedLog } from '../stored-log.js';
import { SqliteFile } from './sqlite-file.js';
import { sqliteRows } from './sqlite-rows.js';

export interface SqliteLogOptions {
  /**
   * The crash that a record survives when a step of the session has waited for it. `process`: that of the process. `power`: a loss of
   * power too; each of these writes then takes as long as the disk does, milliseconds, in which the process does nothing else. Default:
   * `process`.
   */
  readonly survives?: 'process' | 'power' | undefined;
  /** The time of leases and of the list, and the timer of tails. Default: those of the platform. */
  readonly clock?: Clock | undefined;
}

/** A log in a file. */
export interface SqliteLog extends SessionLog {
  /** Closes the file. The next call opens it again. */
  close(): void;
}

/**
 * A log in a file of SQLite, for Node: `node:sqlite` where this release of Node has it, else the package `libsql`. Several processes of one
 * machine can use the file; it is in WAL mode. Readers in other processes look for new records four times a second. It has no
 * `channel`: a session whose log another process writes is read-only, until it takes over.
 *
 * A refused call rejects with an error `storage`; `details.reason` is `quota` (the disk is full), `busy` (another process holds the file),
 * `newer` (a newer release has made the file), `damaged` (it is no database any more), `unavailable` (no driver), `failed`, or one of
 * {@link SessionLog}.
 *
 * @param path of the file; it is made when it does not exist. `:memory:` keeps nothing
 * @example
 * const log = sqliteLog('chats.db');
 * const session = createAgentSession({ provider, id: 'chat-42', log });
 */
export function sqliteLog(
  path: string,
  { survives = 'process', clock = platformClock }: SqliteLogOptions = {},
): SqliteLog {
  const file = new SqliteFile(path);
  const rows = sqliteRows(file, survives === 'power');
  const changes = new Polling(clock, () => file.hasChanged());
  return { ...storedLog({ rows, clock, signs: null, changes }), close: () => file.close() };
}
