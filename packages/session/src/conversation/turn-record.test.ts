import { describe, expect, it } from 'vitest';
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

describe('allCallsOf', () => {
  it('lists the calls of all rounds of a turn in their order', () => {
    expect(allCallsOf(turn).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });

  it('lists no call where there is no turn', () => {
    expect([allCallsOf(null), allCallsOf(undefined)]).toEqual([[], []]);
  });
});
