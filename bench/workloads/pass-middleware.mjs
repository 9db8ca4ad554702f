import assert from 'node:assert/strict';
import { pastMessages } from '../inputs/past-messages.mjs';
import { loopingModel } from '../inputs/scripted-models.mjs';
import { measured } from './measured.mjs';

const ROUNDS = 100;
const TURNS = 12;
const MESSAGES = 1_000;
const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/**
 * W18: the time that `size` middlewares add to a round, in a conversation of 1,000 messages. Each has every hook, and changes each request. The
 * round itself is the second figure: the session has no option of what goes to the model, so that two releases can be compared.
 */
export async function passMiddleware(create, { size, scheduler }) {
  const middleware = Array.from({ length: size }, (_, index) => middlewareOf(`m${index}`));
  // The least of several turns: what they add is less than what a garbage collection takes.
  let [without, withThem] = [Infinity, Infinity];
  for (let turn = 0; turn < TURNS; turn++) {
    without = Math.min(without, await roundsOf(create, { scheduler, middleware: [] }));
    withThem = Math.min(withThem, await roundsOf(create, { scheduler, middleware }));
  }
  return { cpuPerRound: (withThem - without) / ROUNDS, absent: without / ROUNDS };
}

function middlewareOf(name) {
  return {
    name,
    beforeRequest: (request) => ({ ...request, system: `${request.system} ${name}` }),
    afterResponse: ({ text }) => (text.includes('secret') ? { withhold: 'A secret.' } : 'keep'),
    beforeToolCalls: (calls) => (calls.length > 9 ? { [calls[0].id]: { reject: 'Too many.' } } : undefined),
    onToolError: () => 'feed-back',
    afterTurn: () => 'end',
  };
}

async function roundsOf(create, { scheduler, middleware }) {
  let runs = 0;
  const execute = async () => ({ ok: runs++ });
  const model = loopingModel('bench.step', ROUNDS);
  const tools = { 'bench.step': { parameters, execute } };
  const session = create({ model, tools, past: pastMessages(MESSAGES), scheduler, middleware });
  const dispose = session.watch(() => {});
  const { cpuUs } = await measured(() => session.send('Hello'));
  dispose();
  assert.equal(runs, ROUNDS);
  return cpuUs;
}
