import {
  AgentSessionError,
  isAgentSessionError,
  type Operation,
  type SessionLog,
  type SessionState,
} from '@banister/session';
import { initialState } from '@banister/session/operations';
import type { LogRecord } from '@banister/session/log';
import { createVirtualClock, memoryLog, settle } from '@banister/testing';
import { describe, expect, test, vi } from 'vitest';
import { foldStateOf } from '../state/session-state.js';
import { savedState } from '../state/stored-state.js';
import { LogJournal, type LogJournalOptions } from './log-journal.js';

const ID = 'chat-1';
const TTL = 3_000;
const barrier = { barrier: true };

const text = (sequence: number): Operation => ({
  type: 'text',
  sequence,
  at: sequence,
  turnId: 'turn-1',
  delta: `${sequence}`,
});

/** Opens a journal on a log in memory; some methods of the log are replaced. */
async function open(
  replaced: (log: SessionLog) => Partial<SessionLog> = () => ({}),
  options: Partial<LogJournalOptions> = {},
) {
  const clock = createVirtualClock();
  const inner = memoryLog({ clock });
  const log = { ...inner, ...replaced(inner) };
  const fenced = vi.fn<(error: AgentSessionError) => void>();
  const lease = await inner.claim(ID, 'first', TTL);
  const toStored = (operations: readonly Operation[]) => operations;
  const journal = new LogJournal({ log, lease, ttlMs: TTL, clock, toStored, fenced, ...options });
  return { clock, log: inner, fenced, lease, journal };
}

async function recordsOf(log: SessionLog): Promise<readonly LogRecord[]> {
  return (await log.load(ID)).records;
}

async function sequencesOf(log: SessionLog): Promise<readonly (readonly number[])[]> {
  return (await recordsOf(log)).map(({ operations }) => operations.map(({ sequence }) => sequence));
}

/** Resolves with the code and the reason of the error with which a promise rejects. */
async function refusalOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return isAgentSessionError(error) ? [error.code, error.details['reason']] : error;
}

describe('a journal that writes to a log', () => {
  test('a write is one record, with the epoch of its lease and the next revision', async () => {
    const { journal, log, lease } = await open();
    await journal.write([text(1), text(2)], barrier);
    await journal.write([text(3)], { barrier: false });
    expect(await recordsOf(log)).toEqual([
      { version: 1, revision: 1, epoch: lease.epoch, operations: [text(1), text(2)] },
      { version: 1, revision: 2, epoch: lease.epoch, operations: [text(3)] },
    ]);
  });

  test('goes on after the records of earlier writers', async () => {
    const { journal, log, clock } = await open();
    await journal.write([text(1)], barrier);
    await journal.close();
    const lease = await log.claim(ID, 'second', TTL);
    const next = new LogJournal({
      log,
      lease,
      ttlMs: TTL,
      clock,
      toStored: (operations) => operations,
      fenced: () => {},
    });
    await next.write([text(2)], barrier);
    const records = await recordsOf(log);
    expect(records.map(({ revision, epoch }) => [revision, epoch])).toEqual([
      [1, lease.epoch - 1],
      [2, lease.epoch],
    ]);
  });

  test('stores operations in their stored form', async () => {
    const { journal, log } = await open(undefined, { toStored: (operations) => operations.slice(-1) });
    await journal.write([text(1), text(2)], barrier);
    expect(await sequencesOf(log)).toEqual([[2]]);
  });

  test('passes on whether the session waits for the write', async () => {
    const barriers: boolean[] = [];
    const { journal } = await open((log) => ({
      append: (lease, record, options) => {
        barriers.push(options.barrier);
        return log.append(lease, record, options);
      },
    }));
    await journal.write([text(1)], { barrier: false });
    await journal.write([text(2)], { barrier: true });
    expect(barriers).toEqual([false, true]);
  });

  test('appends one record at a time, in the order of the writes', async () => {
    let atOnce = 0;
    let most = 0;
    const { journal, log } = await open((inner) => ({
      append: async (...args) => {
        most = Math.max(most, ++atOnce);
        await settle();
        await inner.append(...args);
        atOnce--;
      },
    }));
    await Promise.all([1, 2, 3].map((sequence) => journal.write([text(sequence)], barrier)));
    expect(most).toBe(1);
    expect(await sequencesOf(log)).toEqual([[1], [2], [3]]);
  });

  test('a write that was refused leaves no gap: the next one has its operations and its revision', async () => {
    let isBroken = true;
    const { journal, log } = await open((inner) => ({
      append: (...args) =>
        isBroken ? Promise.reject(new Error('The disk is full.')) : inner.append(...args),
    }));
    await expect(journal.write([text(1)], barrier)).rejects.toThrow('The disk is full.');
    isBroken = false;
    await journal.write([text(1), text(2)], barrier);
    const records = await recordsOf(log);
    expect(records.map(({ revision }) => revision)).toEqual([1]);
    expect(await sequencesOf(log)).toEqual([[1, 2]]);
  });

  test('an operation that was stored by a refused write is not written twice', async () => {
    let isLost = true;
    const { journal, log } = await open((inner) => ({
      append: async (...args) => {
        await inner.append(...args);
        if (isLost) throw new Error('The connection was lost.');
      },
    }));
    await expect(journal.write([text(1), text(2)], barrier)).rejects.toThrow('lost');
    isLost = false;
    await journal.write([text(1), text(2)], barrier);
    expect(await sequencesOf(log)).toEqual([[1, 2]]);
    isLost = true;
    await expect(journal.write([text(3)], barrier)).rejects.toThrow('lost');
    isLost = false;
    await journal.write([text(3), text(4)], barrier);
    await journal.write([text(5)], barrier);
    expect(await sequencesOf(log)).toEqual([[1, 2], [3], [4], [5]]);
  });

  test('audit-A2 a record that arrives after the log was read is found by the conflict of the next one', async () => {
    let arrive: (() => Promise<void>) | null = null;
    const { journal, log } = await open((inner) => ({
      append: async (...args) => {
        if (arrive === null) {
          arrive = () => inner.append(...args);
          throw new Error('The connection was lost.');
        }
        await inner.append(...args);
      },
      load: async (id) => {
        const loaded = await inner.load(id);
        await arrive?.().catch(() => {});
        return loaded;
      },
    }));
    await expect(journal.write([text(1)], barrier)).rejects.toThrow('lost');
    await journal.write([text(1), text(2)], barrier);
    await journal.write([text(3)], barrier);
    expect(await sequencesOf(log)).toEqual([[1], [2], [3]]);
  });

  test('audit-A2 nothing is appended while the log cannot be read after a refusal', async () => {
    let isDown = true;
    const appended: number[] = [];
    const { journal, log } = await open((inner) => ({
      append: async (...args) => {
        appended.push(args[1].revision);
        await inner.append(...args);
        if (isDown) throw new Error('The connection was lost.');
      },
      load: (id) => (isDown ? Promise.reject(new Error('The network is down.')) : inner.load(id)),
    }));
    await expect(journal.write([text(1)], barrier)).rejects.toThrow('lost');
    await expect(journal.write([text(1), text(2)], barrier)).rejects.toThrow('down');
    expect(appended).toEqual([1]);
    isDown = false;
    await journal.write([text(1), text(2)], barrier);
    expect(await sequencesOf(log)).toEqual([[1], [2]]);
  });

  test('a conflict with a record of another writer is the error of the write', async () => {
    const foreign: LogRecord = { version: 1, revision: 1, epoch: 0, operations: [text(9)] };
    const { journal, log, fenced } = await open((inner) => ({
      append: () =>
        Promise.reject(new AgentSessionError('storage', 'No.', { details: { reason: 'conflict' } })),
      load: async (id) => ({ ...(await inner.load(id)), records: [foreign] }),
    }));
    expect(await refusalOf(journal.write([text(1)], barrier))).toEqual(['storage', 'conflict']);
    expect(await recordsOf(log)).toEqual([]);
    expect(fenced).not.toHaveBeenCalled();
  });

  describe('when another writer has claimed the session', () => {
    test('a writer whose session another one has claimed writes nothing more', async () => {
      let appends = 0;
      const { journal, log, fenced, clock } = await open((inner) => ({
        append: (...args) => {
          appends++;
          return inner.append(...args);
        },
      }));
      await log.claim(ID, 'first', TTL);
      const both = [journal.write([text(1)], barrier), journal.write([text(2)], barrier)];
      for (const write of both) expect(await refusalOf(write)).toEqual(['storage', 'fenced']);
      expect(await refusalOf(journal.snapshot(initialState()))).toEqual(['storage', 'fenced']);
      expect(appends).toBe(1);
      expect(fenced).toHaveBeenCalledTimes(1);
      expect(fenced.mock.calls[0]![0].details['reason']).toBe('fenced');
      expect(clock.pending).toBe(0);
      expect(await recordsOf(log)).toEqual([]);
    });

    test('it is reported once, also when a renewal finds it while a write is on its way', async () => {
      const { journal, log, fenced, clock } = await open((inner) => ({
        append: async (...args) => {
          await settle();
          await inner.append(...args);
        },
      }));
      await log.claim(ID, 'first', TTL);
      await clock.advance(TTL / 3 - 1);
      const write = journal.write([text(1)], barrier);
      await clock.advance(1);
      expect(await refusalOf(write)).toEqual(['storage', 'fenced']);
      expect(fenced).toHaveBeenCalledTimes(1);
    });

    test('the next renewal finds it while the session is idle', async () => {
      const { journal, log, fenced, clock } = await open();
      await log.claim(ID, 'first', TTL);
      await clock.advance(TTL / 3);
      expect(fenced).toHaveBeenCalledTimes(1);
      expect(clock.pending).toBe(0);
      expect(await refusalOf(journal.write([text(1)], barrier))).toEqual(['storage', 'fenced']);
      expect(fenced).toHaveBeenCalledTimes(1);
      await journal.close();
      expect(await refusalOf(log.claim(ID, 'second', TTL))).toEqual(['storage', 'held']);
    });
  });

  test('renews its lease after each third of its time, also after a renewal that failed', async () => {
    let renewals = 0;
    const { log, clock, fenced } = await open((inner) => ({
      renew: (lease) => (++renewals % 2 === 0 ? Promise.reject(new Error('Not now.')) : inner.renew(lease)),
    }));
    for (let third = 1; third <= 12; third++) {
      await clock.advance(TTL / 3);
      expect(renewals).toBe(third);
      expect(await refusalOf(log.claim(ID, 'second', TTL))).toEqual(['storage', 'held']);
    }
    expect(fenced).not.toHaveBeenCalled();
  });

  test('gives the lease back when it is closed, after the writes that were asked for', async () => {
    const { journal, log, clock } = await open((inner) => ({
      append: async (...args) => {
        await settle();
        await inner.append(...args);
      },
    }));
    const write = journal.write([text(1)], barrier);
    const closing = journal.close();
    expect(await refusalOf(log.claim(ID, 'second', TTL))).toEqual(['storage', 'held']);
    await write;
    await closing;
    expect(clock.pending).toBe(0);
    expect((await log.claim(ID, 'second', TTL)).revision).toBe(1);
    await journal.close();
    expect(await refusalOf(journal.write([text(2)], barrier))).toEqual(['disposed', undefined]);
    expect(await refusalOf(journal.snapshot(initialState()))).toEqual(['disposed', undefined]);
  });

  test('closes although the log does not take the lease back', async () => {
    const { journal, clock } = await open(() => ({ release: () => Promise.reject(new Error('Offline.')) }));
    await journal.close();
    expect(clock.pending).toBe(0);
  });

  test('stores a snapshot at the revision of the last write before it, with what differs from a new session', async () => {
    const { journal, log } = await open();
    const fold = { ...foldStateOf(initialState()).fold, undone: true } as unknown as SessionState['fold'];
    const state = { ...initialState(), currentText: '12', fold };
    void journal.write([text(1)], barrier);
    void journal.write([text(2)], barrier);
    const stored = journal.snapshot(state);
    void journal.write([text(3)], barrier);
    await stored;
    await settle();
    const { snapshot, records } = await log.load(ID);
    const session = { currentText: '12', fold: { undone: true } };
    expect(snapshot).toEqual({ ...savedState(initialState()), session });
    expect(records.map(({ revision }) => revision)).toEqual([3]);
  });

  test('stores no snapshot of operations that the log refused', async () => {
    let isBroken = true;
    const { journal, log } = await open((inner) => ({
      append: (...args) =>
        isBroken ? Promise.reject(new Error('The disk is full.')) : inner.append(...args),
    }));
    await expect(journal.write([text(1)], barrier)).rejects.toThrow();
    await expect(journal.snapshot(initialState())).rejects.toThrow('The disk is full.');
    expect((await log.load(ID)).snapshot).toBeNull();
    isBroken = false;
    await journal.write([text(1)], barrier);
    await journal.snapshot(initialState());
    expect((await log.load(ID)).snapshot).not.toBeNull();
  });
});
