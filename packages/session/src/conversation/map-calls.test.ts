import { describe, expect, it } from 'vitest';
import { mapCalls } from './map-calls.js';
import { allCallsOf, type ToolCallView, type TurnRecord } from './turn-record.js';

function call(id: string): ToolCallView {
  return { type: 'tool-call', id, tool: 'board.add', index: 0, state: 'settled', argumentsText: '{}' };
}

const turn: Pick<TurnRecord, 'rounds'> = {
  rounds: [
    { parts: [{ type: 'text', text: 'First.' }, call('a'), call('b')] },
    { parts: [call('c')] },
    { parts: [{ type: 'text', text: 'Done.' }] },
  ],
};

it('mapping calls changes calls only, and keeps the rounds in which no call changed', () => {
  const mapped = mapCalls(turn, (one) => (one.id === 'c' ? { ...one, reverted: true } : one));

  expect(allCallsOf(mapped).map(({ reverted }) => reverted)).toEqual([undefined, undefined, true]);
  expect(mapped.rounds.map((round, index) => round === turn.rounds[index])).toEqual([true, false, true]);
});

describe('allCallsOf', () => {
  it('lists the calls of all rounds of a turn in their order', () => {
    expect(allCallsOf(turn).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('lists no call if there is no turn', () => {
    expect([allCallsOf(null), allCallsOf(undefined)]).toEqual([[], []]);
  });
});
