import { describe, expect, test } from 'vitest';
import { undoable } from '@banister/stores';
import { produce, setAutoFreeze } from 'immer';
import { recordingRunner } from '../test/recording-runner.js';
import { storeConformance, type StoreBoard, type StoreConformanceOptions } from './store-conformance.js';
import { storeFacts } from './store/store-facts.js';
import type { StoreFact, StoreFixture } from './store-conformance.js';

// Without freezing, a change in place is possible and becomes visible.
setAutoFreeze(false);

/** A board of a reducer, which the test may break. */
function makeBoard(spoil: (fixture: StoreFixture) => Partial<StoreFixture>): StoreFixture {
  let board: StoreBoard = { cards: [], filter: '' };
  const listeners = new Set<() => void>();
  const replace = (next: StoreBoard) => {
    board = next;
    for (const changed of listeners) changed();
  };
  const subscribe = (changed: () => void) => {
    listeners.add(changed);
    return () => void listeners.delete(changed);
  };
  const adapter = { read: () => board, write: (next: unknown) => replace(next as StoreBoard), subscribe };
  const fixture: StoreFixture = {
    undoable: undoable(adapter, { roots: ['cards', 'filter'], development: false }),
    read: () => structuredClone(board),
    update: (recipe) => replace(produce(board, (draft) => void recipe(draft))),
    mutate: (recipe) => {
      recipe(board);
      replace({ ...board });
    },
  };
  return { ...fixture, ...spoil(fixture) };
}

/**
 * Runs the suite against a board. Resolves with the facts that failed and the titles of the skipped facts.
 */
async function outcomeOf(
  spoil: (fixture: StoreFixture) => Partial<StoreFixture>,
  options: StoreConformanceOptions = {},
) {
  const failed: StoreFact[] = [];
  const runner = recordingRunner();
  storeConformance('spoiled', () => makeBoard(spoil), runner, options);
  for (const [title, body] of runner.bodies)
    await Promise.resolve(body()).catch(() => {
      failed.push(storeFacts.find(({ description }) => description === title)!.fact);
    });
  return { failed, skipped: runner.skipped };
}

describe('the suite for undoable stores', () => {
  test('has exactly one fact for each name', () => {
    const names = storeFacts.map(({ fact }) => fact);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(storeFacts.map(({ description }) => description)).size).toBe(names.length);
  });

  test('accepts a correct store', async () => {
    expect((await outcomeOf(() => ({}))).failed).toEqual([]);
  });

  test('reports a declared gap as skipped, with its reason', async () => {
    const { skipped } = await outcomeOf(() => ({}), { skip: { 'in-place': 'frozen' } });
    expect(skipped).toHaveLength(1);
    expect(skipped[0]).toMatch(/\(gap: frozen\)$/);
  });

  test('finds a store whose tools are not wrapped', async () => {
    const { failed } = await outcomeOf(({ undoable: own }) => ({
      undoable: { ...own, wrap: (tool) => tool },
    }));
    expect(failed).toEqual(
      expect.arrayContaining(['field', 'added', 'removed', 'moved', 'behind-await', 'cancel', 'reload']),
    );
  });

  test('finds a store whose undo overwrites the edits of the user', async () => {
    const { failed } = await outcomeOf((fixture) => ({
      undoable: {
        ...fixture.undoable,
        wrap: (tool) => {
          let before: StoreBoard = fixture.read();
          return {
            ...tool,
            undo: {
              revert: () => fixture.update((board) => void Object.assign(board, before)),
              keepsEdits: true,
            },
            execute: (args: never, context: never) => {
              before = fixture.read();
              const result = tool.execute(args, context);
              void (context as { undo(entry: object): Promise<void> }).undo({
                description: 'Snapshot',
                data: 1,
              });
              return result;
            },
          };
        },
      },
    }));
    expect(failed).toEqual(
      expect.arrayContaining(['other-field', 'same-field', 'edited-card', 'unattributed']),
    );
  });

  test('finds a store whose revision never changes, and a store that also notifies about changes of tools', async () => {
    const { failed } = await outcomeOf((fixture) => {
      const listeners = new Set<() => void>();
      return {
        update: (recipe) => {
          fixture.update(recipe);
          for (const changed of listeners) changed();
        },
        undoable: {
          ...fixture.undoable,
          revision: () => '1',
          subscribe: (changed) => {
            listeners.add(changed);
            return () => void listeners.delete(changed);
          },
        },
      };
    });
    expect(failed).toEqual(['subscribe', 'revision']);
  });
});
