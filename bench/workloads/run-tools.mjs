import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { manyCallsModel } from '../inputs/scripted-models.mjs';

const CALLS = 100;
const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/** How the tool is declared, by the name of the cell. */
const declarations = {
  'one at a time': {},
  readOnly: { capabilities: ['readOnly'] },
  parallel: { parallel: true },
};

/** W4: one answer with 100 calls of a tool that takes 1 ms. The floor starts all of them at once. */
export async function runTools(create, { size: declared, scheduler }) {
  let runs = 0;
  const execute = async ({ n }) => {
    await sleep(1);
    runs++;
    return { ok: n };
  };
  const tools = { 'bench.step': { parameters, execute, ...declarations[declared] } };
  const limits = declared === 'parallel' ? { maxConcurrentTools: CALLS } : {};
  const session = create({ model: manyCallsModel('bench.step', CALLS), tools, scheduler, limits });
  const dispose = session.watch(() => {});
  const begin = performance.now();
  await session.send('Hello');
  const elapsed = performance.now() - begin;
  dispose();
  assert.equal(runs, CALLS);
  assert.match(session.text(), /done$/);
  return { turn: elapsed };
}
