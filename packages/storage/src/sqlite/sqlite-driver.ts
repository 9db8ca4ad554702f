import { storageError } from '../log-errors.js';

/** The functions that `node:sqlite`, `libsql` and `better-sqlite3` have in common. They return when they are done. */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
  close(): unknown;
}

export interface SqliteStatement {
  run(...values: readonly (string | number)[]): unknown;
  get(...values: readonly (string | number)[]): unknown;
  all(...values: readonly (string | number)[]): unknown[];
}

type SqliteDriver = new (path: string) => SqliteDatabase;

/**
 * Loads the driver: `node:sqlite`, or where this release of Node has none, the package `libsql`.
 *
 * @throws AgentSessionError `storage` with the reason `unavailable` where neither is there
 */
export async function loadSqlite(): Promise<SqliteDriver> {
  // Variables, so that no bundler looks for modules that need not be there.
  const [builtIn, peer]: readonly [string, string] = ['node:sqlite', 'libsql'];
  try {
    return ((await import(/* @vite-ignore */ builtIn)) as { DatabaseSync: SqliteDriver }).DatabaseSync;
  } catch {
    // Added in Node 22.5.
  }
  try {
    return ((await import(/* @vite-ignore */ peer)) as { default: SqliteDriver }).default;
  } catch (error) {
    throw storageError(
      'SQLite is not there: this release of Node has no node:sqlite, and the package libsql is not installed.',
      { reason: 'unavailable' },
      'after-action',
      error,
    );
  }
}
