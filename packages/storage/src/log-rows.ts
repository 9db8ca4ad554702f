import type { Head } from './log-head.js';
import type { Row } from './log-row.js';

/** Reads and writes the rows of sessions in a database: heads, records and snapshots. */
export interface LogRows {
  /** Compresses a long row, before its transaction. */
  pack?(row: Row): Promise<Row>;
  /**
   * Changes a session in one transaction: calls `decide` with the head and writes the change that `decide` returns. If `decide` throws,
   * nothing is written. Returns the new head.
   */
  change(id: string, decide: Decide, options?: ChangeOptions): Promise<Head>;
  /** Reads a session in one transaction: at most `limit` records after a revision. */
  read(id: string, after: number, limit: number): Promise<Read>;
  /** Reads the head, the snapshot and every record of a session in one transaction. */
  load(id: string): Promise<Loaded>;
  /** Reads the head of every session. */
  heads(): Promise<readonly Head[]>;
  /** Reads the head of every session whose work is open. May also return heads of other sessions. */
  openHeads(): Promise<readonly Head[]>;
}

/**
 * @param isRepeated true if the connection was lost during an earlier call, whose change may already be in the head
 */
export type Decide = (head: Head, isRepeated: boolean) => Change;

export interface ChangeOptions {
  /** Whether the change must survive a power failure. Default false: it survives a crash of the process or the page. */
  readonly durable?: boolean;
}

/** The new head, and the rows to write with it. */
export interface Change {
  readonly head: Head;
  readonly record?: Row;
  /** Replaces the last snapshot and the records up to its revision. */
  readonly snapshot?: Row;
  /** Whether to delete all rows of the session first. */
  readonly clear?: boolean;
}

export interface Read {
  readonly head: Head;
  readonly records: readonly Row[];
}

export interface Loaded extends Read {
  readonly snapshot: Row | null;
}
