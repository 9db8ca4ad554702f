import type { SessionLog } from '@banister/session';
import type { Lease } from '@banister/session/log';
import { indexedDbLog } from '@banister/storage';
import { createVirtualClock } from '@banister/testing';
import { openDB } from 'idb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { spoilTransactions, type DatabaseFault } from './database-faults.js';

let count = 0;

async function makeLog() {
  const name = `errors-${++count}`;
  const log = indexedDbLog({ name });
  const lease = await log.claim('chat', 'tab', 60_000);
  await append(log, lease, 1);
  return { name, log, lease };
}

function append(log: SessionLog, lease: Lease, revision: number): Promise<void> {
  return log.append(lease, { version: 1, revision, epoch: lease.epoch, operations: [] }, { barrier: true });
}

const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('must be refused'),
    (error) => error,
  );

/** Spoils transactions while `act` runs. */
async function during<T>(
  fault: DatabaseFault,
  act: () => Promise<T>,
  isSpoiled: (number: number) => boolean = (number) => number === 1,
) {
  const spoiled = spoilTransactions(fault, isSpoiled);
  try {
    return await act();
  } finally {
    spoiled.end();
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe('an append that the database refuses', () => {
  test.each([
    ['D1 quota on put', 'quota on put', 'quota', 'after-action', 'no room'],
    ['D1 quota on commit', 'quota on commit', 'quota', 'after-action', 'no room'],
    ['D1 abort without an error', 'abort without an error', 'failed', 'now', 'could not store'],
  ] as const)(
    '%s rejects with a message and a hint, and does not change the revision',
    async (_, fault, reason, retry, words) => {
      const { log, lease } = await makeLog();
      const error = await during(fault, () => refusal(append(log, lease, 2)));
      expect(error).toMatchObject({ code: 'storage', retry, details: { reason } });
      expect(error.message).toContain(words);
      expect((await log.load('chat')).revision).toBe(1);
      await append(log, lease, 2);
      expect((await log.load('chat')).revision).toBe(2);
    },
  );
});

describe('a connection that the browser has dropped', () => {
  test('D3 is opened again once, and the call is repeated', async () => {
    const { log, lease } = await makeLog();
    await during('lost before', () => append(log, lease, 2));
    expect((await during('lost before', () => log.load('chat'))).revision).toBe(2);
    expect(await during('lost before', () => log.list())).toHaveLength(1);
  });

  test('D3 is opened again once if a request that writes fails, and the record is stored once', async () => {
    const { log, lease } = await makeLog();
    await during('lost at a write', () => append(log, lease, 2));
    const { revision, records } = await log.load('chat');
    expect([revision, records.length]).toEqual([2, 2]);
  });

  test('D3 simultaneous calls open only one new connection', async () => {
    const { log } = await makeLog();
    const opened = vi.spyOn(IDBFactory.prototype, 'open');
    const calls = () => Promise.all([log.load('chat'), log.list(), log.load('chat')]);
    const [{ revision }, list] = await during('lost after the commit', calls, (number) => number <= 3);
    expect([revision, list.length]).toEqual([1, 1]);
    expect(opened).toHaveBeenCalledTimes(1);
  });

  test('a refusal by the log itself keeps the connection', async () => {
    const { log, lease } = await makeLog();
    const opened = vi.spyOn(IDBFactory.prototype, 'open');
    await refusal(append(log, lease, 7));
    await append(log, lease, 2);
    expect(opened).not.toHaveBeenCalled();
  });

  test('D3 a connection that was dropped is opened once more; no record is stored twice', async () => {
    const { log, lease } = await makeLog();
    await during('lost after the commit', () => append(log, lease, 2));
    const { revision, records } = await log.load('chat');
    expect([revision, records.length]).toEqual([2, 2]);
  });

  test('D3 still refuses another record of the same revision', async () => {
    const { log, lease } = await makeLog();
    const other = { version: 1, revision: 1, epoch: lease.epoch, operations: [{ type: 'other' } as never] };
    const again = () => refusal(log.append(lease, other, { barrier: true }));
    expect(await during('lost before', again)).toMatchObject({ details: { reason: 'conflict' } });
  });

  test('D3 refuses a repeated record if no connection was lost', async () => {
    const { log, lease } = await makeLog();
    expect(await refusal(append(log, lease, 1))).toMatchObject({ details: { reason: 'conflict' } });
  });

  test('D3 rejects with the reason "connection" when it is lost again', async () => {
    const { log, lease } = await makeLog();
    const error = await during(
      'lost before',
      () => refusal(append(log, lease, 2)),
      () => true,
    );
    expect(error).toMatchObject({ code: 'storage', retry: 'now', details: { reason: 'connection' } });
    await append(log, lease, 2);
  });
});

describe('a database that does not open', () => {
  const silent = () => Object.assign(new EventTarget(), { readyState: 'pending' });

  /** The error of a log whose database never answers. */
  async function errorOfSilence(request: EventTarget, act: () => void = () => {}) {
    const clock = createVirtualClock();
    vi.stubGlobal('indexedDB', { open: () => request });
    vi.stubGlobal('IDBRequest', Object);
    const refused = refusal(indexedDbLog({ name: `errors-${++count}`, clock }).load('chat'));
    act();
    await clock.advance(4_000);
    return refused;
  }

  test('D2 rejects within 4 seconds', async () => {
    const error = await errorOfSilence(silent());
    expect(error).toMatchObject({ code: 'storage', retry: 'after-action', details: { reason: 'no-answer' } });
  });

  test('D2 says that another tab has to be closed if a tab blocks it', async () => {
    const request = silent();
    const error = await errorOfSilence(request, () => request.dispatchEvent(new Event('blocked')));
    expect(error).toMatchObject({ details: { reason: 'blocked' }, retry: 'after-action' });
    expect(error.message).toContain('Close that tab');
  });

  test.each([
    ['there is none', undefined],
    [
      'opening it throws',
      {
        open: () => {
          throw new DOMException('Denied.', 'SecurityError');
        },
      },
    ],
  ])('D5 rejects with the reason "unavailable" if %s', async (_, factory) => {
    vi.stubGlobal('indexedDB', factory);
    const error = await refusal(indexedDbLog({ name: `errors-${++count}` }).load('chat'));
    expect(error).toMatchObject({
      code: 'storage',
      retry: 'after-action',
      details: { reason: 'unavailable' },
    });
    expect(error.message).toContain('private window');
  });

  test('D1 rejects with the reason "quota" if there is no room, and is opened by a later call', async () => {
    const log = indexedDbLog({ name: `errors-${++count}` });
    const full = new DOMException('Full.', 'QuotaExceededError');
    const open = vi.spyOn(IDBFactory.prototype, 'open').mockImplementationOnce(() => {
      throw full;
    });
    expect(await refusal(log.load('chat'))).toMatchObject({ details: { reason: 'quota' }, cause: full });
    open.mockRestore();
    expect((await log.load('chat')).revision).toBe(0);
  });

  test('a database that opens leaves no timer', async () => {
    const clock = createVirtualClock();
    await indexedDbLog({ name: `errors-${++count}`, clock }).load('chat');
    expect(clock.pending).toBe(0);
  });

  test('a database of a newer release is not changed, and pages of that release can open it', async () => {
    const { name, log, lease } = await makeLog();
    // The connection of the log is open, and closes.
    const newer = await openDB(name, 2);
    const error = await refusal(append(log, lease, 2));
    expect(error).toMatchObject({ code: 'storage', retry: 'after-action', details: { reason: 'newer' } });
    expect(await newer.count('records')).toBe(1);
    newer.close();
  });
});

describe('data that was cleared while the page was open', () => {
  test('an append rejects with the reason "evicted", and writes nothing into the new database', async () => {
    const { name, log, lease } = await makeLog();
    await new Promise((resolve) => {
      indexedDB.deleteDatabase(name).onsuccess = resolve;
    });
    expect(await refusal(append(log, lease, 2))).toMatchObject({ details: { reason: 'evicted' } });
    expect(await refusal(log.renew(lease))).toMatchObject({ details: { reason: 'evicted' } });
    expect(await log.list()).toEqual([]);
  });
});
