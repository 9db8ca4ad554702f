import { describe, expect, it } from 'vitest';
import type { Operation } from '../operations/operation.js';
import { begunCommand } from './begun-commands.js';
import { fold } from './fold.js';
import { initialState } from './initial-state.js';
import { foldStateOf } from './session-state.js';
import { savedState } from './stored-state.js';

/** An id like those of a browser. */
const idOf = (number: number) => `command-4b1f8a50-7c3e-4d0b-9a61-${String(number).padStart(12, '0')}`;

const commands = (count: number) =>
  Array.from(
    { length: count },
    (_, number) =>
      ({
        type: 'commandBegan',
        command: idOf(number),
        name: 'setMode',
        sequence: number + 1,
        at: 0,
      }) as Operation,
  );

const stateAfter = (count: number) => fold(initialState(), commands(count));

describe('the notes of begun commands', () => {
  it('the log knows the newest 256 commands, and 10,000 before them', () => {
    const state = foldStateOf(stateAfter(10_300));
    const found = (number: number) => begunCommand(state, idOf(number));
    expect([found(10_299), found(10_044)]).toEqual([{ id: idOf(10_299) }, { id: idOf(10_044) }]);
    expect([found(10_043), found(44)]).toEqual(['before', 'before']);
    expect([found(43), found(10_300)]).toEqual([null, null]);
  });

  it('the id of a command that has not begun is never found', () => {
    const state = foldStateOf(stateAfter(10_256));
    const others = Array.from({ length: 2_000 }, (_, number) => begunCommand(state, idOf(20_000 + number)));
    expect(others.filter((found) => found !== null)).toEqual([]);
  });

  it('a snapshot needs 21 kB for 256 commands, 80 kB more for 10,000 earlier commands, and nothing if there are none', () => {
    const sizeOf = (count: number) => JSON.stringify(savedState(stateAfter(count))).length;
    const empty = sizeOf(0);
    expect(sizeOf(256) - empty).toBeLessThan(21_000);
    expect(sizeOf(10_256) - sizeOf(256)).toBeLessThan(80_100);
    expect(JSON.stringify(savedState(initialState()))).not.toContain('begun');
  });
});
