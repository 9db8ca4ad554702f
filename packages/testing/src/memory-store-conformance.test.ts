import { AgentSessionError, type MemoryItem, type MemoryStore } from '@banister/session';
import { memoryMemory } from '@banister/storage/memory';
import { describe, expect, test } from 'vitest';
import { recordingRunner } from '../test/recording-runner.js';
import { memoryFacts, type MemoryStoreFact } from './memory/memory-facts.js';
import { memoryStoreConformance, type MemoryStoreConformanceOptions } from './memory-store-conformance.js';

/** Runs the suite against a store. Resolves with the facts that failed and the titles of the skipped facts. */
async function outcomeOf(
  spoil: (store: MemoryStore) => Partial<MemoryStore>,
  options: MemoryStoreConformanceOptions = {},
) {
  const failed: MemoryStoreFact[] = [];
  const runner = recordingRunner();
  const make = () => {
    const store = memoryMemory();
    return { store: { ...store, ...spoil(store) } };
  };
  memoryStoreConformance('spoiled', make, runner, options);
  const run = async ([title, body]: (typeof runner.bodies)[number]) => {
    try {
      await body();
    } catch {
      failed.push(memoryFacts.find(({ description }) => description === title)!.fact);
    }
  };
  await Promise.all(runner.bodies.map(run));
  return { failed: failed.toSorted(), skipped: runner.skipped };
}

const revisionOf = async (store: MemoryStore, id: string) =>
  (await store.load()).find((item) => item.id === id)?.revision ?? null;

describe('the suite for stores of facts', () => {
  test('agents M6: has exactly one fact for each name, and accepts a correct store', async () => {
    expect(new Set(memoryFacts.map(({ fact }) => fact)).size).toBe(memoryFacts.length);
    expect(new Set(memoryFacts.map(({ description }) => description)).size).toBe(memoryFacts.length);
    expect((await outcomeOf(() => ({}))).failed).toEqual([]);
  });

  test('agents M6: reports a declared gap as skipped, with its reason', async () => {
    const none = 'no subscription';
    const skip = { subscribe: none, 'subscribe-elsewhere': none, unsubscribe: none };
    const { failed, skipped } = await outcomeOf(() => ({ subscribe: undefined as never }), { skip });
    expect([failed, skipped.length]).toEqual([[], 3]);
    expect(skipped[0]).toMatch(/\(gap: no subscription\)$/);
  });

  const theirs: MemoryItem = {
    id: 'x',
    text: 'X',
    source: { by: 'user' },
    at: 1,
    changedAt: 1,
    revision: 1,
  };

  const all = memoryFacts.map(({ fact }) => fact).filter((fact) => fact !== 'unsubscribe');

  test.each<readonly [string, (store: MemoryStore) => Partial<MemoryStore>, readonly MemoryStoreFact[]]>([
    [
      'overwrites what has changed',
      (store) => ({ put: async (item) => store.put(item, await revisionOf(store, item.id)) }),
      ['elsewhere', 'known-id', 'old-revision', 'unknown-id'],
    ],
    [
      'removes whatever is there',
      (store) => ({
        async remove(id) {
          const revision = await revisionOf(store, id);
          if (revision !== null) await store.remove(id, revision);
        },
      }),
      ['old-revision', 'unknown-id'],
    ],
    [
      'merges the fields of a fact with those before',
      (store) => ({
        async put(item, expected) {
          const before = (await store.load()).find(({ id }) => id === item.id);
          await store.put({ ...before, ...item }, expected);
        },
      }),
      ['replaced'],
    ],
    [
      'reports no change',
      () => ({ subscribe: () => () => {} }),
      ['subscribe', 'subscribe-elsewhere', 'unsubscribe'],
    ],
    [
      'reports after the end',
      (store) => ({ subscribe: (changed) => (store.subscribe!(changed), () => {}) }),
      ['unsubscribe'],
    ],
    [
      'compares first, and writes later',
      (store) => ({
        async put(item, expected) {
          const revision = await revisionOf(store, item.id);
          if (revision !== expected) throw new AgentSessionError('conflict', 'Changed.');
          const write = async () => store.put(item, await revisionOf(store, item.id));
          await write().catch(write);
        },
      }),
      ['racing'],
    ],
    [
      'shares its objects',
      () => {
        const items = new Map<string, MemoryItem>();
        return {
          load: async () => [...items.values()],
          async put(item, expected) {
            if ((items.get(item.id)?.revision ?? null) !== expected)
              throw new AgentSessionError('conflict', 'Changed.');
            items.set(item.id, item);
          },
        };
      },
      ['copies', 'removed', 'subscribe', 'subscribe-elsewhere', 'unsubscribe'],
    ],
    ['shows a fact of its own', () => ({ load: async () => [theirs] }), all],
    [
      'rejects with another error',
      (store) => ({
        put: (item, expected) =>
          store.put(item, expected).catch(() => {
            throw new Error('Changed.');
          }),
      }),
      ['elsewhere', 'known-id', 'old-revision', 'racing', 'unknown-id'],
    ],
  ])('agents M6: finds a store that %s', async (_name, spoil, expected) => {
    expect((await outcomeOf(spoil)).failed).toEqual(expected.toSorted());
  });
});
