import { loadSqlite, type SqliteDatabase, type SqliteStatement } from './sqlite-driver.js';
import type { Kept } from '../kept.js';
import { newerDatabase, sqliteError } from './sqlite-errors.js';

/** The version of all tables, stored as `user_version` of the file. */
const VERSION = 1;

/** How long a call waits for a writer in another process, in milliseconds. The wait blocks this process. */
const BUSY_MS = 2_000;

/** A SQLite file, opened at first use. */
export class SqliteFile {
  private opening: Promise<SqliteDatabase> | null = null;
  private database: SqliteDatabase | null = null;
  private readonly statements = new Map<string, SqliteStatement>();
  private isDurable = false;
  private dataVersion: unknown;

  /**
   * @param tables the statements that create tables which do not exist. A log and a store of facts may share a file
   * @param kept for messages
   */
  constructor(
    private readonly path: string,
    private readonly tables: string,
    private readonly kept: Kept,
  ) {}

  /**
   * Runs a transaction. `act` is synchronous; if it throws, the transaction is rolled back. Only one process writes at a time.
   *
   * @param durable whether the change must survive a power failure
   */
  async write<T>(durable: boolean, act: () => T): Promise<T> {
    return this.run((database) => {
      this.sync(database, durable);
      return inTransaction(database, 'BEGIN IMMEDIATE', act);
    });
  }

  /** Runs a read-only transaction, which sees one state of the file. */
  async read<T>(act: () => T): Promise<T> {
    return this.run((database) => inTransaction(database, 'BEGIN', act));
  }

  /** Returns a prepared statement from the cache. Call it inside a transaction. */
  statement(sql: string): SqliteStatement {
    let known = this.statements.get(sql);
    if (!known) this.statements.set(sql, (known = this.database!.prepare(sql)));
    return known;
  }

  /** Whether another process or connection may have changed the file after the last call. */
  hasChanged(): boolean {
    if (this.database === null) return true;
    try {
      const row = this.statement('PRAGMA data_version').get() as { readonly data_version: number };
      const hasChanged = row.data_version !== this.dataVersion;
      this.dataVersion = row.data_version;
      return hasChanged;
    } catch {
      // The reader that looks next gets the error.
      return true;
    }
  }

  close(): void {
    this.statements.clear();
    this.database?.close();
    this.database = this.opening = null;
    // The values of the closed connection.
    this.isDurable = false;
    this.dataVersion = undefined;
  }

  private async run<T>(act: (database: SqliteDatabase) => T): Promise<T> {
    try {
      return act(this.database ?? (await (this.opening ??= this.open())));
    } catch (error) {
      throw sqliteError(this.path, this.kept, error);
    }
  }

  private async open(): Promise<SqliteDatabase> {
    try {
      const Driver = await loadSqlite();
      const database = new Driver(this.path);
      database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
      database.exec('PRAGMA journal_mode = WAL');
      database.exec('PRAGMA synchronous = NORMAL');
      const { user_version: version } = database.prepare('PRAGMA user_version').get() as {
        user_version: number;
      };
      if (version > VERSION) {
        database.close();
        throw newerDatabase(this.path, this.kept, version);
      }
      if (version < VERSION)
        database.exec(`BEGIN IMMEDIATE; ${this.tables} PRAGMA user_version = ${VERSION}; COMMIT;`);
      else database.exec(this.tables);
      return (this.database = database);
    } catch (error) {
      this.opening = null;
      throw error;
    }
  }

  private sync(database: SqliteDatabase, durable: boolean): void {
    if (durable === this.isDurable) return;
    database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
    this.isDurable = durable;
  }
}

function inTransaction<T>(database: SqliteDatabase, begin: string, act: () => T): T {
  database.exec(begin);
  try {
    const result = act();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    try {
      database.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back.
    }
    throw error;
  }
}
