import type { Head } from './log-head.js';
import type { Row } from './log-row.js';

/** The place where a stored log keeps the rows of sessions: heads, records and snapshots. */
export interface LogRows {
  /** Packs a long row, before its transaction. */
  pack?(row: Row): Promise<Row>;
  /**
   * Changes a session in one transaction: calls `decide` with its head, and writes the change that it returns. When `decide` throws,
   * nothing is written. Returns the head of the change.
   */
  change(id: string, decide: Decide, options?: ChangeOptions): Promise<Head>;
  /** Reads a session in one transaction: at most `limit` records after a revision. */
  read(id: string, after: number, limit: number): Promise<Read>;
  /** Reads the head, the snapshot and every record of a session in one transaction. */
  load(id: string): Promise<Loaded>;
  /** Reads the head of every session. */
  heads(): Promise<readonly Head[]>;
}

/**
 * @param isRepeated true when the connection was lost while an earlier call was written: its change may be in the head
 */
export type Decide = (head: Head, isRepeated: boolean) => Change;

export interface ChangeOptions {
  /** Whether the change must survive a loss of power. Default false: a crash of the process or the page. */
  readonly durable?: boolean;
}

/** A head to be written, and rows beside it. */
export interface Change {
  readonly head: Head;
  readonly record?: Row;
  /** Takes the place of the last snapshot, and of the records up to its revision. */
  readonly snapshot?: Row;
  /** Whether all rows of the session go first. */
  readonly clear?: boolean;
}

export interface Read {
  readonly head: Head;
  readonly records: readonly Row[];
}

export interface Loaded extends Read {
  readonly snapshot: Row | null;
}
