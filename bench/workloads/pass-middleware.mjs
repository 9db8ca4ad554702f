import assert from 'node:assert/strict';
import { pastMessages } from '../inputs/past-messages.mjs';
import { loopingModel } from '../inputs/scripted-models.mjs';
import { measured } from './measured.mjs';

const ROUNDS = 100;
const TURNS = 12;
const MESSAGES = 1_000;
const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/**
 * W18: the time that `size` middlewares add to a round, in a conversation of 1,000 messages. Each middleware has every hook and changes each
 * request: the string `system`, or the last message of the conversation. The third figure is the round itself, in a session without
 * options for requests, so that two releases can be compared. The fourth figure is the second figure without the work of the hooks, which
 * copy the list of messages.
 */
export async function passMiddleware(create, { size, scheduler }) {
  const listOf = (change) => Array.from({ length: size }, (_, index) => middlewareOf(`m${index}`, change));
  const lists = [[], listOf(withSystem), listOf(withMessage)];
  // The minimum of several turns counts, because a garbage collection takes longer than what the hooks add.
  const least = lists.map(() => Infinity);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [index, middleware] of lists.entries())
      least[index] = Math.min(least[index], await roundsOf(create, { scheduler, middleware }));
  }
  const [without, system, message] = least;
  const hooks = Math.min(...Array.from({ length: TURNS }, () => changesByHand(lists[2])));
  return {
    cpuPerRound: (system - without) / ROUNDS,
    changingMessage: (message - without) / ROUNDS,
    absent: without / ROUNDS,
    changingMessageOwn: (message - without - hooks) / ROUNDS,
  };
}

function withSystem(request, name) {
  return { ...request, system: `${request.system} ${name}` };
}

function withMessage(request, name) {
  const messages = [...request.messages];
  const { parts, ...message } = messages[MESSAGES];
  messages[MESSAGES] = { ...message, parts: [{ ...parts[0], text: `${parts[0].text} ${name}` }] };
  return { ...request, messages };
}

function middlewareOf(name, change) {
  return {
    name,
    beforeRequest: (request) => change(request, name),
    afterResponse: ({ text }) => (text.includes('secret') ? { withhold: 'A secret.' } : 'keep'),
    beforeToolCalls: (calls) => (calls.length > 9 ? { [calls[0].id]: { reject: 'Too many.' } } : undefined),
    onToolError: () => 'feed-back',
    afterTurn: () => 'end',
  };
}

/** The time in which the hooks change the same number of requests without a session. */
function changesByHand(list) {
  const past = Array.from({ length: MESSAGES + 1 }, () => ({
    role: 'user',
    parts: [{ type: 'text', text: 'Hello' }],
  }));
  const messages = Object.freeze(past);
  const start = process.cpuUsage();
  for (let round = 0; round < ROUNDS; round++) {
    let request = { system: '', messages };
    for (const { beforeRequest } of list) request = beforeRequest(request);
    Object.freeze(request);
  }
  const { user, system } = process.cpuUsage(start);
  return user + system;
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
