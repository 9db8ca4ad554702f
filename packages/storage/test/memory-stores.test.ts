// The stores of facts.
import 'fake-indexeddb/auto';
import { writeFileSync } from 'node:fs';
import type { MemoryItem } from '@banister/session';
import { indexedDbMemory } from '@banister/storage/memory';
import { sqliteLog, sqliteMemory } from '@banister/storage/sqlite';
import { memoryStoreConformance } from '@banister/testing';
import Database from 'libsql';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { eachMemory } from './each-memory.js';
import { inFolder, removeFiles } from './temporary-folder.js';

afterEach(() => vi.restoreAllMocks());
afterAll(removeFiles);

let count = 0;
const newFile = () => inFolder(`facts-${++count}.db`);

const fact = (id: string, revision = 1, text = `Fact ${id}`): MemoryItem => ({
  id,
  text,
  source: { by: 'user' },
  at: 1,
  changedAt: 1,
  revision,
});

eachMemory();

memoryStoreConformance(
  'agents M6: sqliteMemory',
  () => {
    const file = newFile();
    const [store, other] = [sqliteMemory(file), sqliteMemory(file)];
    return {
      store,
      other,
      dispose() {
        store.close();
        other.close();
      },
    };
  },
  { describe, it },
);

describe('facts in a file of SQLite', () => {
  it.each([
    ['the log', true],
    ['the facts', false],
  ])('agents M6: share the file with a log; %s came first', async (_name, isLogFirst) => {
    const file = newFile();
    const facts = sqliteMemory(file);
    const log = sqliteLog(file);
    const write = [() => log.claim('chat', 'test', 60_000), () => facts.put(fact('a'), null)];
    for (const act of isLogFirst ? write : write.toReversed()) await act();
    const lease = await log.claim('other', 'test', 60_000);
    await log.append(
      lease,
      { version: 1, revision: 1, epoch: lease.epoch, operations: [] },
      { barrier: true },
    );
    expect((await log.load('other')).revision).toBe(1);
    expect(await facts.load()).toEqual([fact('a')]);
    facts.close();
    log.close();
  });

  it('agents M6: are there after the file was closed', async () => {
    const store = sqliteMemory(newFile());
    await store.put(fact('a'), null);
    store.close();
    expect(await store.load()).toEqual([fact('a')]);
    store.close();
  });

  it('agents M6: a full disk rejects with the reason "quota", and keeps what was stored', async () => {
    const databases: Database.Database[] = [];
    class Watched extends Database {
      constructor(path: string) {
        super(path);
        databases.push(this);
      }
    }
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue({ DatabaseSync: Watched });
    const store = sqliteMemory(newFile());
    await store.put(fact('a'), null);
    databases[0]!.exec('PRAGMA max_page_count = 1');
    await expect(store.put(fact('b', 1, 'x'.repeat(100_000)), null)).rejects.toMatchObject({
      code: 'storage',
      retry: 'after-action',
      message: 'The disk has no room for more facts.',
      details: { reason: 'quota' },
    });
    expect(await store.load()).toEqual([fact('a')]);
    store.close();
  });

  it('agents M6: a file that is not a database is refused as damaged', async () => {
    const file = newFile();
    writeFileSync(file, 'No database. '.repeat(1_000));
    await expect(sqliteMemory(file).load()).rejects.toMatchObject({
      code: 'storage',
      message: 'The file of the facts is damaged, or it is not a database.',
      details: { reason: 'damaged' },
    });
  });

  it('agents M6: a subscription that has ended leaves no timer', async () => {
    vi.useFakeTimers();
    try {
      const store = sqliteMemory(newFile());
      const leave = store.subscribe!(() => {});
      expect(vi.getTimerCount()).toBe(1);
      leave();
      expect(vi.getTimerCount()).toBe(0);
      store.close();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('facts in IndexedDB', () => {
  it('agents M6: let another page delete the database', async () => {
    const store = indexedDbMemory({ name: 'deleted' });
    await store.put(fact('a'), null);
    await new Promise<void>((resolve, reject) => {
      const request = indexedDB.deleteDatabase('deleted');
      request.onsuccess = () => resolve();
      request.onerror = () => reject(request.error!);
      request.onblocked = () => reject(new Error('blocked'));
    });
    expect(await store.load()).toEqual([]);
  });

  it('agents M6: are read again if the database could not be opened', async () => {
    const store = indexedDbMemory({ name: 'late' });
    const open = vi.spyOn(indexedDB, 'open').mockImplementationOnce(() => {
      throw new DOMException('Full.', 'QuotaExceededError');
    });
    await expect(store.load()).rejects.toMatchObject({
      code: 'storage',
      message: 'The browser has no room for more facts. Delete other facts, or free space on the disk.',
      details: { reason: 'quota', database: 'late' },
    });
    open.mockRestore();
    expect(await store.load()).toEqual([]);
  });

  it('agents M6: without IndexedDB, the error names the stores that work there', async () => {
    vi.stubGlobal('indexedDB', undefined);
    try {
      await expect(indexedDbMemory({ name: 'none' }).load()).rejects.toMatchObject({
        code: 'storage',
        details: { reason: 'unavailable' },
      });
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
