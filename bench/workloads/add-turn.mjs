import assert from 'node:assert/strict';
import { recordedLog } from '../inputs/recorded-log.mjs';
import { textModel } from '../inputs/scripted-models.mjs';
import { textDeltas } from '../inputs/text-deltas.mjs';
import { fold, initialState } from '../sides/built-session.mjs';
import { measured } from './measured.mjs';

const FEW = 50;
const TURNS = 200;
/** The tool that the earlier turns called. */
const tools = { 'bench.step': { parameters: { type: 'object' }, execute: async () => ({}) } };

/**
 * W21: a turn with a short answer after `size` turns of a log, each with a tool call whose effect was recorded. The figure is the time that
 * each earlier turn adds: the difference from a turn after 50 turns, so that the turn itself is not counted.
 */
export async function addTurn(create, { size, scheduler }) {
  const [few, many] = [await openedWith(create, FEW, scheduler), await openedWith(create, size, scheduler)];
  // The two alternate, so that both run the same code. The minimum counts, because a garbage collection takes longer than a turn.
  const least = { few: Infinity, many: Infinity };
  for (let turn = 0; turn < TURNS; turn++) {
    least.few = Math.min(least.few, await few());
    least.many = Math.min(least.many, await many());
  }
  return { perEarlierTurn: (least.many - least.few) / (size - FEW), turn: least.many };
}

/** Returns a function that runs a turn, and resolves with its CPU time. */
async function openedWith(create, turns, scheduler) {
  const operations = JSON.parse(JSON.stringify(await recordedLog(turns)));
  const past = fold(initialState(), operations).conversation.messages;
  const deltas = textDeltas(3);
  const session = create({ model: textModel(deltas), tools, past, operations, scheduler });
  let messages = past.length;
  return async () => {
    const { cpuUs } = await measured(() => session.send('Hello'));
    assert.equal(session.text(), deltas.join(''));
    assert.equal(session.messageCount(), (messages += 2));
    return cpuUs;
  };
}
