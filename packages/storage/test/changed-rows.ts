import 'fake-indexeddb/auto';
import { randomUUID } from 'node:crypto';
import type { SessionLog } from '@banister/session';
import { indexedDbLog } from '@banister/storage';
import { sqliteLog } from '@banister/storage/sqlite';
import { openDB } from 'idb';
import { inFolder } from './temporary-folder.js';

interface ChangedRow {
  readonly id: string;
  readonly revision: number;
  bytes?: Uint8Array;
}

/** A log, and access to its rows. */
export interface Engine {
  readonly log: SessionLog;
  /** Changes the text of a stored record, or of the snapshot; null removes the row. */
  change(
    store: 'records' | 'snapshots',
    revision: number,
    to: (text: string) => string | null,
  ): Promise<void>;
}

let count = 0;

function inIndexedDb(): Engine {
  const name = `changed-${randomUUID()}`;
  return {
    log: indexedDbLog({ name }),
    async change(store, revision, to) {
      const database = await openDB(name);
      const key = store === 'records' ? ['chat-42', revision] : 'chat-42';
      const row = (await database.get(store, key)) as ChangedRow;
      const text = to(new TextDecoder().decode(row.bytes));
      if (text === null) await database.delete(store, key);
      else await database.put(store, { ...row, bytes: new TextEncoder().encode(text) });
      database.close();
    },
  };
}

function inSqlite(): Engine {
  const file = inFolder(`${++count}.db`);
  return {
    log: sqliteLog(file),
    async change(store, revision, to) {
      const { default: Database } = await import('libsql');
      const database = new Database(file);
      const where = `WHERE id = '"chat-42"' AND revision = ${revision}`;
      const { text } = database.prepare(`SELECT text FROM ${store} ${where}`).get() as { text: string };
      const changed = to(text);
      if (changed === null) database.exec(`DELETE FROM ${store} ${where}`);
      else database.prepare(`UPDATE ${store} SET text = ? ${where}`).run(changed);
      database.close();
    },
  };
}

/** The logs that keep rows, by name. */
export const engines: readonly (readonly [string, () => Engine])[] = [
  ['indexedDbLog', inIndexedDb],
  ['sqliteLog', inSqlite],
];
