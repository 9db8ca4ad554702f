import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Clock, SessionLog } from '@handrail/session';
import { indexedDbLog } from '@handrail/storage';
import { sqliteLog } from '@handrail/storage/sqlite';

let folder: string | null = null;

function inFolder(file: string): string {
  folder ??= mkdtempSync(path.join(tmpdir(), 'handrail-'));
  return path.join(folder, file);
}

/** Removes the files of the logs; for `afterAll` of each file of tests, as files share this module. */
export function removeFiles(): void {
  if (folder !== null) rmSync(folder, { recursive: true });
  folder = null;
}

let count = 0;
/** Other files of tests may use the same databases. */
const run = randomUUID();

/** The logs that keep rows, by name. Each function returns another connection to the log of the same number. */
export const eachLog: readonly (readonly [string, (number: number, clock?: Clock) => SessionLog])[] = [
  ['indexedDbLog', (number, clock) => indexedDbLog({ name: `each-${run}-${number}`, clock })],
  ['sqliteLog', (number, clock) => sqliteLog(inFolder(`${number}.db`), { clock })],
];

/** Returns the number of a log that does not exist yet. */
export const newLog = () => ++count;
