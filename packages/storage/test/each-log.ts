import 'fake-indexeddb/auto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock, SessionLog } from '@handrail/session';
import { indexedDbLog } from '@handrail/storage';
import { sqliteLog } from '@handrail/storage/sqlite';
import { afterAll } from 'vitest';

const folder = mkdtempSync(path.join(tmpdir(), 'handrail-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

/** The logs that keep rows, by name. Each function returns another connection to the log of the same number. */
export const eachLog: readonly (readonly [string, (number: number, clock?: Clock) => SessionLog])[] = [
  ['indexedDbLog', (number, clock) => indexedDbLog({ name: `each-${number}`, clock })],
  ['sqliteLog', (number, clock) => sqliteLog(path.join(folder, `${number}.db`), { clock })],
];

/** Returns the number of a log that does not exist yet. */
export const newLog = () => ++count;
