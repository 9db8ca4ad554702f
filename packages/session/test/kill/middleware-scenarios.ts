import { confirmTools, type CallVerdict, type JsonObject, type Middleware } from '@banister/session';
import { callInside, callTools, finishWith, say } from '@banister/testing';
import type { Scenario } from './scenario.js';

const call = (tool: string, title?: string) => ({
  tool: `board.${tool}`,
  args: { ...(title === undefined ? {} : { title }) },
});
const done = say('Done.', { usage: { inputTokens: 10, outputTokens: 5 } });

/** Replaces the title of each call of `board.add`, and rejects each of `board.mail`. */
const decides: Middleware = {
  name: 'decides',
  beforeToolCalls: async (calls) =>
    Object.fromEntries(calls.map(({ id, tool, arguments: args }) => [id, verdictOn(tool, args)])),
};

function verdictOn(tool: string, { title }: JsonObject): CallVerdict {
  if (tool === 'board.mail') return { reject: 'No mail.' };
  return tool === 'board.add' ? { arguments: { title: `${String(title)}!` } } : 'proceed';
}

/** Withholds each answer with the word `Secret`. */
const withholds = (again?: string): Middleware => ({
  name: 'withholds',
  afterResponse: async ({ text }) => (text.includes('Secret') ? { withhold: 'A secret.', again } : 'keep'),
});

const continues: Middleware = {
  name: 'goal',
  afterTurn: async ({ continuations }) => (continuations < 2 ? { continue: 'Go on.' } : 'end'),
};

const escalates: Middleware = {
  name: 'strict',
  onToolError: async ({ failures }) => (failures > 1 ? { escalate: 'Again.' } : 'feed-back'),
};

const adds: Middleware = {
  name: 'adds',
  beforeRequest: async (request) => ({ ...request, system: 'Be brief.' }),
};

/** Lives of a session with middleware. */
export const middlewareScenarios: readonly Scenario[] = [
  {
    name: 'middleware: arguments that are replaced, and calls that are rejected',
    turns: {
      Go: [callTools(call('add', 'A'), call('mail', 'B'), call('ensure', 'C'), call('broken')), done],
    },
    options: { middleware: [adds, decides] },
  },
  {
    name: 'middleware: replaced arguments that the user is asked about',
    turns: { Go: [callTools(call('add', 'A'), call('add', 'B')), done] },
    options: { middleware: [decides], guards: [confirmTools('board.add')] },
    decide: ({ arguments: args }) => ({
      approve: true,
      ...(args['title'] === 'A!' ? { arguments: { title: 'Z' } } : {}),
    }),
  },
  {
    name: 'middleware: an answer that is withheld, and its calls with it',
    turns: { Go: [callTools(call('add', 'A')), callTools('Secret.', call('paint', 'B'), call('mail', 'C'))] },
    options: { middleware: [withholds()] },
  },
  {
    name: 'middleware: an answer that is asked for again',
    turns: { Go: [callTools('Secret.', call('add', 'A')), callTools(call('add', 'B')), say('Secret.')] },
    options: { middleware: [withholds('Again.')] },
  },
  {
    name: 'middleware: calls inside an answer that is withheld',
    turns: {
      Go: [
        finishWith(
          'stop',
          'First. ',
          callInside(call('add', 'A')),
          'Secret. ',
          callInside(call('ensure', 'B')),
        ),
        done,
      ],
    },
    options: { middleware: [decides, withholds()] },
  },
  {
    name: 'middleware: an answer that a limit cut before any hook had it',
    turns: { Go: [say('Unseen.', { usage: { inputTokens: 20, outputTokens: 20 } }), done] },
    options: { middleware: [withholds()], limits: { maxTokens: 30, onTrip: 'stop' } },
  },
  {
    name: 'middleware: an error that is escalated',
    turns: {
      Go: [callTools(call('add', 'A'), call('half', 'B'), call('half', 'C'), call('add', 'D')), done],
    },
    options: { middleware: [escalates] },
  },
  {
    name: 'middleware: a turn that is continued',
    turns: {
      Go: [callTools(call('add', 'A')), say('One.'), callTools(call('paint', 'B')), say('Two.'), done],
    },
    options: { middleware: [continues] },
  },
  {
    name: 'middleware: every hook, in a turn that a limit stops',
    turns: {
      Go: [
        callTools('One.', call('add', 'A')),
        callTools('Two.', call('half', 'B'), call('add', 'C')),
        done,
        done,
        done,
      ],
    },
    options: {
      middleware: [adds, decides, withholds('Again.'), escalates, continues],
      limits: { maxToolCalls: 2, onTrip: 'stop' },
    },
  },
];
