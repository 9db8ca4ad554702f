import type { LogRecord } from '@banister/session/log';
import { expect, test } from 'vitest';
import { Bell } from './bell.js';
import { emptyHead } from './log-head.js';
import { rowOf, type Row } from './log-row.js';
import type { LogRows } from './log-rows.js';
import { tailRows } from './read-rows.js';

/** Rows to which some may be added while a read is on its way, and a tail of them. */
function tailed(whileReading: (add: () => void) => void) {
  const stored: Row[] = [];
  const bell = new Bell();
  const add = () => {
    const revision = stored.length + 1;
    const record: LogRecord = { version: 1, revision, epoch: 1, operations: [] };
    stored.push(rowOf(revision, record, 'record'));
    bell.ring();
  };
  const rows: Pick<LogRows, 'read'> = {
    async read(id, after, limit) {
      const read = {
        head: { ...emptyHead(id), revision: stored.length },
        records: stored.slice(after, after + limit).filter(Boolean),
      };
      whileReading(add);
      return read;
    },
  };
  const end = new AbortController();
  const changes = { announce() {}, follow: () => bell };
  return { add, end, stored, tail: tailRows(rows as LogRows, changes, 'chat', 0, end.signal) };
}

test('a record that is written while a tail reads is not missed', async () => {
  let reads = 0;
  const { tail } = tailed((add) => ++reads === 1 && add());
  expect((await tail.next()).value).toMatchObject({ revision: 1 });
});

test('a tail rejects if the last record is missing', async () => {
  const { tail, add, stored } = tailed(() => {});
  add();
  await tail.next();
  add();
  delete stored[1];
  await expect(tail.next()).rejects.toMatchObject({ details: { reason: 'damaged' } });
});

test('a tail whose signal has fired ends without returning records that it has read', async () => {
  const { tail, add, end } = tailed(() => {});
  for (let count = 0; count < 3; count++) add();
  expect((await tail.next()).value).toMatchObject({ revision: 1 });
  end.abort();
  expect(await tail.next()).toEqual({ done: true, value: undefined });
});
