// The stores of facts in real browsers, and faults of their database.
import { indexedDbMemory } from '@banister/storage/memory';
import type { MemoryItem } from '@banister/session';
import { openDB } from 'idb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { spoilTransactions, type DatabaseFault } from './database-faults.js';
import { eachMemory } from './each-memory.js';

afterEach(() => vi.restoreAllMocks());

let count = 0;
const newName = () => `memory-faults-${++count}`;

const fact = (id: string, revision = 1): MemoryItem => ({
  id,
  text: `Fact ${id}`,
  source: { by: 'user' },
  at: 1,
  changedAt: 1,
  revision,
});

/** Spoils the next transaction while `act` runs. */
async function during<T>(fault: DatabaseFault, act: () => Promise<T>): Promise<T> {
  const spoiled = spoilTransactions(fault, (number) => number === 1);
  try {
    return await act();
  } finally {
    spoiled.end();
  }
}

eachMemory();

describe('facts in a browser', () => {
  it.each([
    ['quota on put', 'quota'],
    ['quota on commit', 'quota'],
    ['abort without an error', 'failed'],
  ] as const)(
    'agents M6: a fault "%s" rejects with the reason "%s", and stores nothing',
    async (fault, reason) => {
      const store = indexedDbMemory({ name: newName() });
      await store.put(fact('a'), null);
      await expect(during(fault, () => store.put(fact('a', 2), 1))).rejects.toMatchObject({
        code: 'storage',
        details: { reason },
      });
      expect(await store.load()).toEqual([fact('a')]);
      await store.put(fact('a', 2), 1);
      expect(await store.load()).toEqual([fact('a', 2)]);
    },
  );

  it.each(['lost before', 'lost at a write', 'lost after the commit'] as const)(
    'agents M6: a connection that is %s is opened again, and the change is made once',
    async (fault) => {
      const store = indexedDbMemory({ name: newName() });
      await during('slow', () => store.put(fact('a'), null));
      await during(fault, () => store.put(fact('a', 2), 1));
      await during(fault, () => store.put(fact('b'), null));
      await during(fault, () => store.remove('b', 1));
      expect(await store.load()).toEqual([fact('a', 2)]);
    },
  );

  it('agents M6: a fact that another tab has written meanwhile is not taken for the lost one', async () => {
    const name = newName();
    const store = indexedDbMemory({ name });
    await store.put(fact('a'), null);
    await indexedDbMemory({ name }).put({ ...fact('a', 2), text: 'Of another tab' }, 1);
    const written = during('lost before', () => store.put(fact('a', 2), 1));
    await expect(written).rejects.toMatchObject({ code: 'conflict' });
  });

  it('agents M6: a database of a newer release is not changed', async () => {
    const name = newName();
    const store = indexedDbMemory({ name });
    await store.put(fact('a'), null);
    const newer = await openDB(name, 2);
    await expect(store.put(fact('b'), null)).rejects.toMatchObject({
      code: 'storage',
      retry: 'after-action',
      details: { reason: 'newer' },
    });
    expect(await newer.count('facts')).toBe(1);
    newer.close();
  });
});
