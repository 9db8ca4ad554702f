// The work of `fold`: counted as lists that are copied, since times depend on the machine.
import { expect, it, vi } from 'vitest';
import { fold, initialState, type Message, type Operation } from '@handrail/session';

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
  // The original is read through its descriptor: as a property it would be a method without its object.
  const original = Object.getOwnPropertyDescriptor(Array.prototype, 'slice')!.value as (
    this: unknown[],
    ...range: number[]
  ) => unknown[];
  const slice = vi.spyOn(Array.prototype, 'slice').mockImplementation(function (this: unknown[], ...range) {
    items += this.length;
    return original.apply(this, range as number[]);
  });
  const state = fold(initialState(), log);
  slice.mockRestore();
  expect(state.turns).toHaveLength(log.length / 3);
  return items;
}

it('copies each list of the state once, however long the log is', () => {
  const [short, long] = [copiedItems(logOf(10)), copiedItems(logOf(1_000))];
  expect(long).toBeLessThanOrEqual(short * 100);
});
