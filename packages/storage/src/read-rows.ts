import type { AgentSessionError, SavedConversation } from '@banister/session';
import type { LoadedLog, LogRecord } from '@banister/session/log';
import type { Changes } from './changes.js';
import { damaged, gap, removedSince } from './log-errors.js';
import { valueOf, type Row } from './log-row.js';
import type { LogRows } from './log-rows.js';

/** The number of records that `tail` reads at a time. */
const PORTION = 200;

/** Reads the log of a session, up to the first damaged row. */
export async function loadRows(rows: LogRows, id: string): Promise<LoadedLog> {
  const { head, snapshot: stored, records: found } = await rows.load(id);
  const records: LogRecord[] = [];
  let snapshot: SavedConversation | null = null;
  let revision = 0;
  try {
    if (head.base !== null) snapshot = snapshotOf(id, head.base, stored);
    revision = head.base ?? 0;
    while (revision < head.revision) {
      records.push(recordOf(id, revision + 1, found[records.length]));
      revision++;
    }
  } catch (error) {
    return { snapshot, revision, records, damage: error as AgentSessionError };
  }
  return { snapshot, revision, records };
}

/** The `tail` of a log. A reader may leave the loop without aborting `signal`. */
export async function* tailRows(
  rows: LogRows,
  changes: Changes,
  id: string,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LogRecord, void, void> {
  const left = new AbortController();
  const leave = () => left.abort();
  signal.addEventListener('abort', leave);
  const bell = changes.follow(id, left.signal);
  let cursor = after;
  let life: number | undefined;
  try {
    while (!signal.aborted) {
      const { rings } = bell;
      const { head, records } = await rows.read(id, cursor, PORTION);
      if (cursor > 0 && head.life !== (life ?? head.life)) throw removedSince(id);
      life = head.life;
      if (cursor < (head.base ?? 0) || cursor > head.revision) throw gap(id, cursor);
      for (const row of records) {
        if (signal.aborted) return;
        const record = recordOf(id, cursor + 1, row);
        cursor++;
        yield record;
      }
      if (records.length > 0) continue;
      if (cursor < head.revision) recordOf(id, cursor + 1, undefined);
      await bell.wait(signal, rings);
    }
  } finally {
    signal.removeEventListener('abort', leave);
    leave();
  }
}

function snapshotOf(id: string, revision: number, row: Row | null): SavedConversation {
  try {
    return valueAt(revision, row) as SavedConversation;
  } catch (error) {
    throw damaged(id, 'its snapshot', error);
  }
}

function recordOf(id: string, revision: number, row: Row | undefined): LogRecord {
  try {
    return valueAt(revision, row) as LogRecord;
  } catch (error) {
    throw damaged(id, `its record ${revision}`, error);
  }
}

function valueAt(revision: number, row: Row | null | undefined): unknown {
  if (row?.revision !== revision) throw new Error('it is not there');
  return valueOf(row);
}
