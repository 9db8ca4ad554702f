import './without-locks.js';
import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import type { SessionLog } from '@banister/session';
import type { Clock } from '@banister/provider';
import { indexedDbLog } from '@banister/storage';
import { sqliteLog } from '@banister/storage/sqlite';
import { inFolder } from './temporary-folder.js';

let count = 0;
/** Other test files may use the same databases. */
const run = randomUUID();

/**
 * The logs that keep rows, by name. Each function returns a new connection to the log with the given number.
 */
export const eachLog: readonly (readonly [string, (number: number, clock?: Clock) => SessionLog])[] = [
  ['indexedDbLog', (number, clock) => indexedDbLog({ name: `each-${run}-${number}`, clock })],
  ['sqliteLog', (number, clock) => sqliteLog(inFolder(`${number}.db`), { clock })],
];

/** Returns the number of a log that does not exist yet. */
export const newLog = () => ++count;
