// The work of `fold`: counted as lists that are copied, since times depend on the machine.
import { expect, it, vi } from 'vitest';
import type { Message, Operation } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { callTools, say, spyTool } from '@banister/testing';
import { fixture } from './fixture.js';

/** The operations of turns that fail at once: each appends a message and a record. */
function logOf(turns: number): readonly Operation[] {
  const facts = Array.from({ length: turns }, (_, index) => {
    const turnId = `turn-${index}`;
    const input: Message = { id: `message-${index}`, role: 'user', parts: [{ type: 'text', text: 'Hi' }] };
    return [
      { type: 'turnStarted', turnId, input, limits: {}, provider: { id: 'p', model: 'm' }, budget: {} },
      { type: 'messagesAppended', turnId, messages: [input] },
      { type: 'completed', turnId, text: '', messages: [], usage: null, rounds: 0, budget: {} },
    ];
  }).flat();
  return facts.map((fact, index) => ({ ...fact, sequence: index + 1, at: 0 }) as unknown as Operation);
}

/** The number of items that `fold` copies with their lists. */
function copiedItems(log: readonly Operation[]): number {
  let items = 0;
  const spies = (['slice', 'concat'] as const).map((method) => {
    // The original is read through its descriptor: as a property it would be a method without its object.
    const original = Object.getOwnPropertyDescriptor(Array.prototype, method)!.value as (
      this: unknown[],
      ...given: unknown[]
    ) => unknown[];
    return vi.spyOn(Array.prototype, method).mockImplementation(function (
      this: unknown[],
      ...given: unknown[]
    ) {
      items += this.length;
      return original.apply(this, given);
    });
  });
  const state = fold(initialState(), log);
  for (const spy of spies) spy.mockRestore();
  expect(state.turns).toHaveLength(log.length / 3);
  return items;
}

it('copies each list of the state only once, no matter how long the log is', () => {
  const [short, long] = [copiedItems(logOf(10)), copiedItems(logOf(1_000))];
  expect(long).toBeLessThanOrEqual(short * 100);
});

/** Returns the objects in a value, lists excepted. */
function objectsIn(value: unknown, found = new Set<unknown>()): ReadonlySet<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  if (!Array.isArray(value)) found.add(value);
  for (const part of Object.values(value)) objectsIn(part, found);
  return found;
}

it('does not change the notes about earlier turns when a turn with an effect ends', async () => {
  let revision = 0;
  const edit = spyTool('edit', {
    execute(_args, { undo }) {
      revision++;
      undo({ description: 'Edited', revert: () => void revision++ });
    },
  });
  const turns = 200;
  const answers = Array.from({ length: turns }, () => [callTools({ tool: 'doc.edit' }), say('Done')]).flat();
  await using f = fixture(answers, { domains: [{ id: 'doc', tools: [edit], revision: () => revision }] });
  const added: number[] = [];
  let before = objectsIn(f.session.state);
  for (let turn = 0; turn < turns; turn++) {
    await f.session.send('Edit');
    const after = objectsIn(f.session.state);
    added.push([...after].filter((node) => !before.has(node)).length);
    before = after;
  }
  expect(f.session.undoEntries.value).toHaveLength(turns);
  expect(added.at(-1)).toBe(added[1]);
});
