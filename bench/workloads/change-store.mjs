import assert from 'node:assert/strict';
import { createBanister } from '../sides/banister.mjs';
import { loopingModel } from '../inputs/scripted-models.mjs';
import { storesOfCards } from '../inputs/stores-of-cards.mjs';
import { measured } from './measured.mjs';

const ROUNDS = 100;
const TURNS = 8;
const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/**
 * W19: a round with a call of a tool that changes one of `entities` entities, and what `wrap` adds to its time. The minimum of several
 * turns counts, because a garbage collection takes longer.
 */
export async function changeStore(wrap, { kind, entities, scheduler }) {
  const store = storesOfCards[kind](cardsOf(entities));
  const rename = ({ n }) => store.rename((n * 7_919) % entities, `Title ${Math.random()}`);
  const plain = { parameters, execute: rename };
  const tool = wrap(store, plain);
  let [without, withIt] = [Infinity, Infinity];
  for (let turn = 0; turn < TURNS; turn++) {
    without = Math.min(without, await callOf(plain, scheduler));
    withIt = Math.min(withIt, await callOf(tool, scheduler));
  }
  return { cpuPerCall: withIt, added: tool === plain ? 0 : withIt - without };
}

function cardsOf(count) {
  return Array.from({ length: count }, (_, index) => ({
    id: `card-${index}`,
    title: `Card ${index}`,
    done: false,
    tags: ['a', 'b'],
  }));
}

async function callOf(tool, scheduler) {
  const model = loopingModel('bench.step', ROUNDS);
  const session = createBanister({ model, tools: { 'bench.step': tool }, scheduler });
  const { cpuUs } = await measured(() => session.send('Hello'));
  assert.equal(session.text(), 'done');
  return cpuUs / ROUNDS;
}
