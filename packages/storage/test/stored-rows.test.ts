// The rows that a log keeps in its database.
import './without-locks.js';
import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import type { SessionLog } from '@banister/session';
import { savedState } from '@banister/session/log';
import { initialState } from '@banister/session/operations';
import { indexedDbLog } from '@banister/storage';
import { sqliteLog } from '@banister/storage/sqlite';
import { openDB } from 'idb';
import Database from 'libsql';
import { afterAll, describe, expect, test } from 'vitest';
import { inFolder, removeFiles } from './temporary-folder.js';

afterAll(removeFiles);

/** A log that counts its records and its snapshots. */
interface Counted {
  readonly log: SessionLog;
  count(): Promise<readonly [records: number, snapshots: number]>;
}

const stores = ['records', 'snapshots'] as const;

function inIndexedDb(): Counted {
  const name = `rows-${randomUUID()}`;
  return {
    log: indexedDbLog({ name }),
    async count() {
      const database = await openDB(name);
      const [records, snapshots] = await Promise.all(stores.map((store) => database.count(store)));
      database.close();
      return [records!, snapshots!];
    },
  };
}

function inSqlite(): Counted {
  const file = inFolder(`${randomUUID()}.db`);
  return {
    log: sqliteLog(file),
    async count() {
      const database = new Database(file);
      const [records, snapshots] = stores.map(
        (store) => (database.prepare(`SELECT count(*) AS rows FROM ${store}`).get() as { rows: number }).rows,
      );
      database.close();
      return [records!, snapshots!];
    },
  };
}

describe.each([
  ['indexedDbLog', inIndexedDb],
  ['sqliteLog', inSqlite],
] as const)('%s', (_name, make) => {
  /** A log of four records, with a snapshot at the third. */
  async function written() {
    const { log, count } = make();
    const lease = await log.claim('chat', 'test', 60_000);
    for (const revision of [1, 2, 3, 4])
      await log.append(
        lease,
        { version: 1, revision, epoch: lease.epoch, operations: [] },
        { barrier: true },
      );
    expect(await count()).toEqual([4, 0]);
    await log.snapshot(lease, 3, savedState(initialState()));
    return { log, count, lease };
  }

  test('a snapshot replaces the records up to its revision', async () => {
    const { log, count, lease } = await written();
    expect(await count()).toEqual([1, 1]);
    await log.snapshot(lease, 4, savedState(initialState()));
    expect(await count()).toEqual([0, 1]);
  });

  test('a removed chat leaves neither a record nor a snapshot', async () => {
    const { log, count } = await written();
    await log.remove('chat');
    expect(await count()).toEqual([0, 0]);
  });
});

test('F16 a row of another form counts as damaged', async () => {
  const name = `rows-${randomUUID()}`;
  const log = indexedDbLog({ name });
  const lease = await log.claim('chat', 'test', 60_000);
  await log.append(lease, { version: 1, revision: 1, epoch: lease.epoch, operations: [] }, { barrier: true });
  const database = await openDB(name);
  await database.put('records', { ...(await database.get('records', ['chat', 1])), bytes: 'a text' });
  database.close();
  const { revision, records, damage } = await log.load('chat');
  expect([revision, records, damage?.details['reason']]).toEqual([0, [], 'damaged']);
});
