// If a file of SQLite cannot be used, the error has words and a hint for the user.
import { readFileSync, writeFileSync } from 'node:fs';
import type { SessionLog } from '@banister/session';
import type { Lease } from '@banister/session/log';
import { sqliteLog } from '@banister/storage/sqlite';
import { createVirtualClock } from '@banister/testing';
import Database from 'libsql';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { inFolder, removeFiles } from './temporary-folder.js';

afterEach(() => vi.restoreAllMocks());
afterAll(removeFiles);

let count = 0;
const newFile = () => inFolder(`errors-${++count}.db`);

function append(log: SessionLog, lease: Lease, revision: number, text = ''): Promise<void> {
  const operations = [{ type: 'text', sequence: revision, at: 0, turnId: 'turn', delta: text } as const];
  return log.append(lease, { version: 1, revision, epoch: lease.epoch, operations }, { barrier: true });
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('must be refused'),
    (error: unknown) => error,
  );

/** Records the connections that logs open from now on, and the statements that each connection executes. */
function watchConnections() {
  const connections: { readonly database: Database.Database; readonly executed: string[] }[] = [];
  class Watched extends Database {
    constructor(path: string) {
      super(path);
      const executed: string[] = [];
      const exec = this.exec.bind(this);
      this.exec = (sql) => (executed.push(sql), exec(sql));
      connections.push({ database: this, executed });
    }
  }
  vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ DatabaseSync: Watched });
  return connections;
}

describe('a file that refuses', () => {
  test('D1 a full disk rejects with the reason "quota", keeps the stored data, and is used again when there is room', async () => {
    const connections = watchConnections();
    const log = sqliteLog(newFile());
    const lease = await log.claim('chat', 'test', 60_000);
    await append(log, lease, 1);
    const [{ database }] = connections as [(typeof connections)[0]];
    database.exec('PRAGMA max_page_count = 1');
    const error = await refusal(append(log, lease, 2, 'x'.repeat(100_000)));
    expect(error).toMatchObject({
      code: 'storage',
      retry: 'after-action',
      message: expect.stringContaining('no room'),
      details: { reason: 'quota' },
    });
    expect((await log.load('chat')).revision).toBe(1);
    database.exec('PRAGMA max_page_count = 100000');
    await append(log, lease, 2, 'x'.repeat(100_000));
    expect((await log.load('chat')).revision).toBe(2);
    log.close();
  });

  test('a file that another connection locks for long rejects with the reason "busy"', async () => {
    const connections = watchConnections();
    const file = newFile();
    const log = sqliteLog(file);
    const lease = await log.claim('chat', 'test', 60_000);
    const [{ database }] = connections as [(typeof connections)[0]];
    database.exec('PRAGMA busy_timeout = 1');
    const other = new Database(file);
    other.exec('BEGIN IMMEDIATE');
    expect(await refusal(append(log, lease, 1))).toMatchObject({
      code: 'storage',
      retry: 'now',
      details: { reason: 'busy', database: file },
    });
    other.exec('ROLLBACK');
    other.close();
    await append(log, lease, 1);
    log.close();
  });

  test.each([
    ['quota', 'after-action', 13],
    ['busy', 'now', 5 | (2 << 8)],
    ['damaged', 'never', 11],
    ['damaged', 'never', 26],
    ['failed', 'now', 10],
  ] as const)(
    "the reason is %s, and the hint %s, for the result %i of Node's SQLite",
    async (reason, retry, errcode) => {
      class Refusing {
        constructor() {
          throw Object.assign(new Error('a refusal'), { code: 'ERR_SQLITE_ERROR', errcode });
        }
      }
      vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ DatabaseSync: Refusing });
      expect(await refusal(sqliteLog(newFile()).list())).toMatchObject({
        code: 'storage',
        retry,
        details: { reason },
      });
    },
  );

  test('D8 a file that is not a database is refused as damaged, and not changed', async () => {
    const file = newFile();
    const text = 'No database. '.repeat(1_000);
    writeFileSync(file, text);
    const error = await refusal(sqliteLog(file).load('chat'));
    expect(error).toMatchObject({ code: 'storage', retry: 'never', details: { reason: 'damaged' } });
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('a file of a newer release is refused, and not changed', async () => {
    const file = newFile();
    const log = sqliteLog(file);
    await append(log, await log.claim('chat', 'test', 60_000), 1);
    log.close();
    const newer = new Database(file);
    newer.exec('PRAGMA user_version = 2');
    const connections = watchConnections();
    expect(await refusal(log.list())).toMatchObject({
      code: 'storage',
      retry: 'after-action',
      details: { reason: 'newer', version: 2 },
    });
    expect(connections.map(({ database }) => database.open)).toEqual([false]);
    expect(newer.prepare('SELECT count(*) AS count FROM records').get()).toMatchObject({ count: 1 });
    newer.exec('PRAGMA user_version = 1');
    newer.close();
    expect(await log.list()).toHaveLength(1);
    log.close();
  });
});

describe('a record that a step waits for', () => {
  const modes = ({ executed }: { readonly executed: readonly string[] }) =>
    executed.filter((sql) => sql.startsWith('PRAGMA synchronous')).map((sql) => sql.split(' = ')[1]);

  test("is flushed to the disk with `survives: 'power'`", async () => {
    const connections = watchConnections();
    const log = sqliteLog(newFile(), { survives: 'power' });
    const lease = await log.claim('chat', 'test', 60_000);
    await append(log, lease, 1);
    await append(log, lease, 2);
    const record = { version: 1, revision: 3, epoch: lease.epoch, operations: [] };
    await log.append(lease, record, { barrier: false });
    expect(connections.map(modes)).toEqual([['NORMAL', 'FULL', 'NORMAL']]);
    log.close();
  });

  test('is also flushed in a file that was closed and reopened', async () => {
    const connections = watchConnections();
    const log = sqliteLog(newFile(), { survives: 'power' });
    const lease = await log.claim('chat', 'test', 60_000);
    await append(log, lease, 1);
    log.close();
    await append(log, lease, 2);
    expect(connections.map(modes)).toEqual([
      ['NORMAL', 'FULL'],
      ['NORMAL', 'FULL'],
    ]);
    log.close();
  });

  test('is written with synchronous NORMAL if it survives a crash of the process', async () => {
    const connections = watchConnections();
    const log = sqliteLog(newFile());
    await append(log, await log.claim('chat', 'test', 60_000), 1);
    expect(connections.map(modes)).toEqual([['NORMAL']]);
    log.close();
  });
});

describe('a tail of a closed file', () => {
  /** A tail that has read one record of another process. Its first connection has seen the change. */
  async function tailed() {
    const clock = createVirtualClock();
    const file = newFile();
    const [log, other] = [sqliteLog(file, { clock }), sqliteLog(file, { clock })];
    const lease = await other.claim('chat', 'other', 60_000);
    const end = new AbortController();
    const tail = log.tail('chat', 0, end.signal)[Symbol.asyncIterator]();
    const next = tail.next();
    await clock.advance(500);
    await append(other, lease, 1);
    await clock.advance(500);
    expect((await next).value).toMatchObject({ revision: 1 });
    const second = tail.next();
    await clock.advance(500);
    return { clock, log, other, lease, second, close: () => (end.abort(), log.close(), other.close()) };
  }

  test('opens the file again, and continues', async () => {
    const { clock, log, other, lease, second, close } = await tailed();
    log.close();
    await append(other, lease, 2);
    await clock.advance(500);
    expect((await second).value).toMatchObject({ revision: 2 });
    close();
  });

  test('continues if another call has opened the file again', async () => {
    const { clock, log, other, lease, second, close } = await tailed();
    log.close();
    await log.list();
    await append(other, lease, 2);
    await clock.advance(500);
    expect((await second).value).toMatchObject({ revision: 2 });
    close();
  });
});

test('D8 a damaged row of one session is reported when that session is opened; the other sessions stay in the list', async () => {
  const file = newFile();
  const log = sqliteLog(file);
  for (const id of ['whole', 'broken']) await append(log, await log.claim(id, 'test', 60_000), 1);
  const database = new Database(file);
  database.prepare("UPDATE heads SET head = '{' WHERE id = ?").run(JSON.stringify('broken'));
  database.close();
  expect((await log.list()).map(({ id }) => id)).toEqual(['whole']);
  const error = await refusal(log.load('broken'));
  expect(error).toMatchObject({
    code: 'storage',
    retry: 'never',
    details: { reason: 'damaged', id: 'broken' },
  });
  expect((await log.load('whole')).revision).toBe(1);
});
