import { describe, expect, it } from 'vitest';
import { notedTurns } from './noted-turns.js';
import type { TurnRecord } from './turn-record.js';

let reads = 0;

/** Returns a turn that counts how often it is read. */
function turn(status: 'completed' | 'cancelled'): TurnRecord {
  const outcome = { status };
  const record = {
    rounds: [{ parts: [{ type: 'text', text: 'Done.' }] }],
    get outcome() {
      reads++;
      return outcome;
    },
  };
  return record as unknown as TurnRecord;
}

describe('the turns that a note may be about', () => {
  it('are found when the list of turns grows, shrinks or takes another path', () => {
    const turns = [turn('completed'), turn('cancelled'), turn('completed'), turn('cancelled')];
    expect(notedTurns([])).toEqual([]);
    expect(notedTurns(turns.slice(0, 2))).toEqual([1]);
    expect(notedTurns(turns)).toEqual([1, 3]);
    expect(notedTurns(turns.slice(0, 3))).toEqual([1]);
    expect(notedTurns([...turns.slice(0, 2), turn('cancelled'), turn('completed')])).toEqual([1, 2]);
    expect(notedTurns([turn('cancelled')])).toEqual([0]);
  });

  it('are searched only among new turns', () => {
    let turns: readonly TurnRecord[] = [];
    reads = 0;
    for (let count = 0; count < 100; count++) {
      turns = [...turns, turn('completed')];
      notedTurns(turns);
      notedTurns(turns);
    }
    // Each turn is read once, and the condition reads the outcome twice.
    expect(reads).toBe(200);
  });
});
