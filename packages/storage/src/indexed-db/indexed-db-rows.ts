import { unwrap } from 'idb';
import { emptyHead, type Head } from '../log-head.js';
import type { Row } from '../log-row.js';
import type { LogRows } from '../log-rows.js';
import { canPack, pack, unpack } from './pack.js';
import type { Database, StoreName, StoredRow, Transaction } from './database.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const all: readonly StoreName[] = ['heads', 'records', 'snapshots'];

/** The rows of a log in the browser. Each record is a row; a record holds a batch of operations. */
export function indexedDbRows(database: Database): LogRows {
  const heads = (): Promise<readonly Head[]> =>
    database.run(['heads'], 'readonly', 'default', (transaction) =>
      transaction.objectStore('heads').getAll(),
    );
  return {
    async pack(row) {
      return canPack ? { ...row, packed: await pack(encoder.encode(row.text)) } : row;
    },

    change: (id, decide, { durable = false } = {}) =>
      database.run(all, 'readwrite', durable ? 'strict' : 'relaxed', async (transaction, isRepeated) => {
        const { head, record, snapshot, clear } = decide(await headOf(transaction, id), isRepeated);
        // The stores without idb's promises: no request is awaited, and a failed request aborts the transaction.
        const bare = unwrap(transaction);
        const records = bare.objectStore('records');
        const snapshots = bare.objectStore('snapshots');
        if (clear) {
          records.delete(keysOf(id, -1));
          snapshots.delete(id);
        }
        if (record) records.put(storedRow(id, record));
        if (snapshot) {
          snapshots.put(storedRow(id, snapshot));
          records.delete(keysOf(id, -1, snapshot.revision));
        }
        bare.objectStore('heads').put(head);
        return head;
      }),

    read: (id, after, limit) =>
      database.run(['heads', 'records'], 'readonly', 'default', async (transaction) => ({
        head: await headOf(transaction, id),
        records: limit > 0 ? await recordsOf(transaction, id, after, limit) : [],
      })),

    async load(id) {
      const { head, snapshot, records } = await database.run(
        all,
        'readonly',
        'default',
        async (transaction) => {
          const head = await headOf(transaction, id);
          const snapshot = await transaction.objectStore('snapshots').get(id);
          return { head, snapshot, records: await recordsOf(transaction, id, head.base ?? 0) };
        },
      );
      // Unpacked after the transaction: it would close during the wait.
      return { head, snapshot: snapshot ? await unpacked(snapshot) : null, records };
    },

    heads,
    openHeads: heads,
  };
}

async function headOf(transaction: Transaction<IDBTransactionMode>, id: string): Promise<Head> {
  return (await transaction.objectStore('heads').get(id)) ?? emptyHead(id);
}

async function recordsOf(
  transaction: Transaction<IDBTransactionMode>,
  id: string,
  after: number,
  limit?: number,
): Promise<readonly Row[]> {
  return (await transaction.objectStore('records').getAll(keysOf(id, after), limit)).map(rowOf);
}

/** Returns the key range of the records after a revision. */
function keysOf(id: string, after: number, last = Infinity): IDBKeyRange {
  return IDBKeyRange.bound([id, after], [id, last], true);
}

function storedRow(id: string, { revision, text, sum, packed }: Row): StoredRow {
  if (packed) return { id, revision, bytes: packed, sum, isPacked: true };
  return { id, revision, bytes: encoder.encode(text), sum };
}

/** If `bytes` is not a `Uint8Array`, the text is empty and does not match the checksum. */
function rowOf({ revision, bytes, sum }: StoredRow): Row {
  return { revision, text: bytes instanceof Uint8Array ? decoder.decode(bytes) : '', sum };
}

async function unpacked(row: StoredRow): Promise<Row> {
  if (!row.isPacked) return rowOf(row);
  const bytes = await unpack(row.bytes).catch(() => new Uint8Array());
  return rowOf({ ...row, bytes });
}
