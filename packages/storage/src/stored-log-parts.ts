import type { Clock } from '@banister/provider';
import type { Changes } from './changes.js';
import type { LogRows } from './log-rows.js';
import type { SignsOfLife } from './signs-of-life.js';

/** The parts of a log that keeps its rows in a database. */
export interface StoredLogParts {
  readonly rows: LogRows;
  readonly clock: Clock;
  readonly changes: Changes;
  /** The signs of life of writers; null if leases expire instead. */
  readonly signs: SignsOfLife | null;
}
