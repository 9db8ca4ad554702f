import { storageError } from '../log-errors.js';

/** The functions that `node:sqlite`, `libsql` and `better-sqlite3` have in common. All are synchronous. */
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

/** The part of Node's `process` that loads the driver. */
interface NodeProcess {
  getBuiltinModule?(id: string): { readonly DatabaseSync: SqliteDriver } | undefined;
  emitWarning(warning: unknown, type?: unknown, ...rest: unknown[]): void;
}

/**
 * Loads the driver: `node:sqlite`, or the package `libsql` if this release of Node has no `node:sqlite`.
 *
 * @throws AgentSessionError `storage` with the reason `unavailable` if both are missing
 */
export async function loadSqlite(): Promise<SqliteDriver> {
  const builtIn = builtInSqlite();
  if (builtIn) return builtIn;
  // A variable, so that bundlers do not resolve this optional package.
  const peer: string = 'libsql';
  try {
    return ((await import(/* @vite-ignore */ peer)) as { default: SqliteDriver }).default;
  } catch (error) {
    throw storageError(
      'SQLite is not there: this release of Node has no node:sqlite, and the package libsql is not installed: npm install libsql',
      { reason: 'unavailable' },
      'after-action',
      error,
    );
  }
}

/** The driver of Node, available without a flag since 22.13. */
function builtInSqlite(): SqliteDriver | undefined {
  const { process } = globalThis as unknown as { readonly process?: NodeProcess };
  if (process?.getBuiltinModule === undefined) return undefined;
  const { emitWarning } = process;
  // Node 22 prints a warning that SQLite is experimental. The functions used here are the same in Node 24, which does not warn.
  process.emitWarning = (warning, type, ...rest) => {
    if (type !== 'ExperimentalWarning') emitWarning.call(process, warning, type, ...rest);
  };
  try {
    return process.getBuiltinModule('node:sqlite')?.DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}
