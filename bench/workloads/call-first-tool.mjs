import assert from 'node:assert/strict';
import { loopingModel } from '../inputs/scripted-models.mjs';
import { measured } from './measured.mjs';

const parameters = {
  type: 'object',
  properties: {
    n: { type: 'number' },
    title: { type: 'string', maxLength: 100 },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['n'],
};
/** Made once and used by all sessions, as in an app. */
const tools = { 'bench.step': { parameters, execute: async ({ n }) => ({ ok: n }) } };
const WARM = 100;
const MEASURED = 50;

/**
 * W9: a turn with a tool call in a session that has not called the tool before. `size`: the first session of a process, which
 * also loads the validator, or a later session.
 */
export async function callFirstTool(create, { size: which, scheduler }) {
  const turn = async () => {
    const session = create({ model: loopingModel('bench.step', 1), tools, scheduler });
    const { cpuUs } = await measured(() => session.send('Hello'));
    assert.match(session.text(), /done$/);
    return cpuUs;
  };
  if (which === 'first session') return { turn: (await turn()) / 1000 };
  for (let count = 0; count < WARM; count++) await turn();
  const turns = [];
  for (let count = 0; count < MEASURED; count++) turns.push(await turn());
  return { turn: turns.sort((a, b) => a - b)[MEASURED >> 1] / 1000 };
}
