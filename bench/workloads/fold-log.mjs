import assert from 'node:assert/strict';
import { recordedLog } from '../inputs/recorded-log.mjs';
import { measured } from './measured.mjs';

/** The work is the same at every size, because short logs are folded more often. All states are kept, so that the heap is equally large. */
const TURNS = 5_000;

/** W12: a log of `size` turns is folded from its first operation on, from copies, as another tab or a restore does. */
export async function foldLog(create, { size }) {
  const times = Math.max(1, Math.round(TURNS / size));
  const recorded = JSON.stringify(await recordedLog(size));
  const logs = Array.from({ length: times }, () => JSON.parse(recorded));
  const { fold } = create();
  const states = [];
  const { cpuUs } = await measured(() => {
    for (const log of logs) states.push(fold(log));
  });
  assert.equal(states.length, times);
  const state = states.at(-1);
  assert.equal(state.turns.length, size);
  assert.equal(state.undoEntries.length, size);
  assert.equal(state.sequence, logs[0].length);
  return { cpuPerOperation: cpuUs / (times * logs[0].length) };
}
