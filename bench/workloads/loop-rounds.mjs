import assert from 'node:assert/strict';
import { loopingModel } from '../inputs/scripted-models.mjs';
import { measured } from './measured.mjs';

const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/** W3: a turn of `size` rounds with one tool call each. */
export async function loopRounds(create, { size, scheduler }) {
  let runs = 0;
  const execute = async ({ n }) => {
    assert.equal(n, runs);
    runs++;
    return { ok: n };
  };
  const model = loopingModel('bench.step', size);
  const session = create({ model, tools: { 'bench.step': { parameters, execute } }, scheduler });
  let publications = 0;
  const dispose = session.watch(() => publications++);
  const { cpuUs } = await measured(() => session.send('Hello'));
  dispose();
  assert.equal(runs, size);
  assert.match(session.text(), /done$/);
  // The user's message, two for each round, and the answer.
  assert.equal(session.messageCount(), 2 * size + 2);
  assert(publications > size, `${publications} publications`);
  return { cpuPerRound: cpuUs / size };
}
