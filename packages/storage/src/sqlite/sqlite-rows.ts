import { damaged } from '../log-errors.js';
import { emptyHead, type Head } from '../log-head.js';
import type { Row } from '../log-row.js';
import type { LogRows } from '../log-rows.js';
import type { SqliteFile } from './sqlite-file.js';

const UPSERT_HEAD =
  'INSERT INTO heads (id, head) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET head = excluded.head';
const UPSERT_SNAPSHOT =
  'INSERT INTO snapshots (id, revision, text, sum) VALUES (?, ?, ?, ?) ' +
  'ON CONFLICT (id) DO UPDATE SET revision = excluded.revision, text = excluded.text, sum = excluded.sum';
const INSERT_RECORD = 'INSERT INTO records (id, revision, text, sum) VALUES (?, ?, ?, ?)';
// In the JSON of a head, a quote inside of a string has a backslash before the quote. So only the field `open` has these characters.
const OPEN_HEADS = `SELECT head FROM heads WHERE instr(head, '"open":true') > 0`;
const RECORDS = 'SELECT revision, text, sum FROM records WHERE id = ? AND revision > ? ORDER BY revision';

/** The tables of a log. */
export const logTables = `
  CREATE TABLE IF NOT EXISTS heads (id TEXT PRIMARY KEY, head TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS records (
    id TEXT NOT NULL, revision INTEGER NOT NULL, text TEXT NOT NULL, sum INTEGER NOT NULL,
    PRIMARY KEY (id, revision)
  );
  CREATE TABLE IF NOT EXISTS snapshots (
    id TEXT PRIMARY KEY, revision INTEGER NOT NULL, text TEXT NOT NULL, sum INTEGER NOT NULL
  );
`;

/**
 * The rows of a log in a SQLite file.
 *
 * @param isForPower whether a `durable` change waits for the disk
 */
export function sqliteRows(file: SqliteFile, isForPower: boolean): LogRows {
  const headOf = (id: string): Head => {
    const found = file.statement('SELECT head FROM heads WHERE id = ?').get(keyOf(id));
    if (!found) return emptyHead(id);
    try {
      return headIn(found);
    } catch (error) {
      throw damaged(id, 'its first row', error);
    }
  };

  return {
    change: (id, decide, { durable = false } = {}) =>
      file.write(isForPower && durable, () => {
        const key = keyOf(id);
        const { head, record, snapshot, clear } = decide(headOf(id), false);
        if (clear) {
          file.statement('DELETE FROM records WHERE id = ?').run(key);
          file.statement('DELETE FROM snapshots WHERE id = ?').run(key);
        }
        if (record) file.statement(INSERT_RECORD).run(key, record.revision, record.text, record.sum);
        if (snapshot) {
          file.statement(UPSERT_SNAPSHOT).run(key, snapshot.revision, snapshot.text, snapshot.sum);
          file.statement('DELETE FROM records WHERE id = ? AND revision <= ?').run(key, snapshot.revision);
        }
        file.statement(UPSERT_HEAD).run(key, JSON.stringify(head));
        return head;
      }),

    read: (id, after, limit) =>
      file.read(() => ({
        head: headOf(id),
        records: file.statement(`${RECORDS} LIMIT ?`).all(keyOf(id), after, limit) as Row[],
      })),

    load: (id) =>
      file.read(() => {
        const head = headOf(id);
        const snapshot = file
          .statement('SELECT revision, text, sum FROM snapshots WHERE id = ?')
          .get(keyOf(id));
        const records = file.statement(RECORDS).all(keyOf(id), head.base ?? 0) as Row[];
        return { head, snapshot: (snapshot as Row | undefined) ?? null, records };
      }),

    // If the row of a session is damaged, that session cannot be opened, but all others are listed.
    heads: () => file.read(() => file.statement('SELECT head FROM heads').all().flatMap(headOrNone)),
    openHeads: () => file.read(() => file.statement(OPEN_HEADS).all().flatMap(headOrNone)),
  };
}

/** Returns an id as JSON, so that each string is a different key: UTF-8 cannot hold a lone surrogate. */
function keyOf(id: string): string {
  return JSON.stringify(id);
}

function headIn(row: unknown): Head {
  return JSON.parse((row as { readonly head: string }).head) as Head;
}

function headOrNone(row: unknown): readonly Head[] {
  try {
    return [headIn(row)];
  } catch {
    return [];
  }
}
