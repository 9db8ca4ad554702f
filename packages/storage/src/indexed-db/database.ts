import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction, type StoreNames } from 'idb';
import type { Clock } from '@banister/provider';
import type { Head } from '../log-head.js';
import type { Kept } from '../kept.js';
import { connectionError, isLostConnection, openError, silentError } from './database-errors.js';
import { thawed } from './thawed.js';

/** The schema version of the database. A page of an earlier release cannot open a newer version. */
const DATABASE_VERSION = 1;

/** The timeout for opening the database, in milliseconds. It is shorter than the timeout of a session, so that the session gets the reason. */
const OPEN_MS = 4_000;

/** A record or a snapshot, stored as UTF-8: a browser stores a string with one long dash as UTF-16, which is twice as large. */
export interface StoredRow {
  readonly id: string;
  readonly revision: number;
  readonly bytes: Uint8Array;
  readonly sum: number;
  /** Whether the bytes are compressed. */
  readonly isPacked?: boolean;
}

export interface Stores extends DBSchema {
  heads: { key: string; value: Head };
  records: { key: [id: string, revision: number]; value: StoredRow };
  snapshots: { key: string; value: StoredRow };
}

export type StoreName = StoreNames<Stores>;
export type Transaction<M extends IDBTransactionMode, S extends DBSchema = Stores> = IDBPTransaction<
  S,
  StoreNames<S>[],
  M
>;

/** Creates the stores of a log in a new database. */
export function createStores(database: IDBPDatabase<Stores>): void {
  database.createObjectStore('heads', { keyPath: 'id' });
  database.createObjectStore('records', { keyPath: ['id', 'revision'] });
  database.createObjectStore('snapshots', { keyPath: 'id' });
}

/** A database of the browser. It opens at first use, and again after the browser has dropped the connection. */
export class Database<S extends DBSchema = Stores> {
  private opening: Promise<IDBPDatabase<S>> | null = null;
  /** The database, once it is open. */
  private open: IDBPDatabase<S> | null = null;
  private isBlocked = false;

  constructor(
    readonly name: string,
    private readonly clock: Clock,
    readonly kept: Kept,
    /** Creates the stores of a new database. */
    private readonly create: (database: IDBPDatabase<S>) => void,
  ) {}

  /**
   * Runs a transaction. If the connection is lost, a new connection is opened and `act` is called a second time with `isRepeated` set to
   * true. The first transaction may have been committed.
   */
  async run<M extends IDBTransactionMode, T>(
    stores: readonly StoreNames<S>[],
    mode: M,
    durability: IDBTransactionDurability,
    act: (transaction: Transaction<M, S>, isRepeated: boolean) => Promise<T>,
    isRepeated = false,
  ): Promise<T> {
    const thaw = thawed();
    if (thaw !== null) await thaw;
    const database = this.open ?? (await this.opened());
    let transaction: Transaction<M, S> | undefined;
    try {
      transaction = database.transaction([...stores], mode, { durability });
      const [result] = await Promise.all([act(transaction, isRepeated), endOf(transaction)]);
      return result;
    } catch (error) {
      abort(transaction);
      const refusal = connectionError(this, error);
      if (!isLostConnection(refusal)) throw refusal;
      this.drop(database);
      if (isRepeated) throw refusal;
    }
    return this.run(stores, mode, durability, act, true);
  }

  private async opened(): Promise<IDBPDatabase<S>> {
    this.opening ??= this.connect().catch((error: unknown) => {
      this.opening = null;
      throw openError(this, error);
    });
    let stopTimer = () => {};
    const silence = new Promise<never>((_, reject) => {
      const giveUp = () => reject(silentError(this, this.isBlocked));
      stopTimer = this.clock.schedule(giveUp, OPEN_MS);
    });
    try {
      return await Promise.race([this.opening, silence]);
    } finally {
      stopTimer();
    }
  }

  private async connect(): Promise<IDBPDatabase<S>> {
    this.isBlocked = false;
    this.open = await openDB<S>(this.name, DATABASE_VERSION, {
      upgrade: (database, _from, _to, transaction) => {
        // If the upgrade fails, `openDB` rejects too.
        transaction.done.catch(() => {});
        this.create(database);
      },
      blocked: () => (this.isBlocked = true),
      // Another page wants to delete the database or open a newer version: close this connection so that it can.
      blocking: () => this.drop(this.open),
    });
    return this.open;
  }

  /** Closes a lost connection. A connection that another call has opened since then stays open. */
  private drop(lost: IDBPDatabase<S> | null): void {
    lost?.close();
    if (this.open === lost) this.opening = this.open = null;
  }
}

/**
 * Resolves when the transaction is stored, and rejects with its error. `done` of idb is not used because it rejects at the first failed
 * request, before `transaction.error` is set.
 */
function endOf<S extends DBSchema>(transaction: Transaction<IDBTransactionMode, S>): Promise<void> {
  transaction.done.catch(() => {});
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () => reject(transaction.error));
  });
}

/** Aborts a transaction, unless it has already ended. */
function abort(transaction: { abort(): void } | undefined): void {
  try {
    transaction?.abort();
  } catch {
    // The transaction has already ended.
  }
}
