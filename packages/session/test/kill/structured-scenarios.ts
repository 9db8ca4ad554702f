import type { Middleware } from '@banister/session';
import { callTools, finishWith, say } from '@banister/testing';
import type { Scenario, Stage } from './scenario.js';

const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, note: { type: 'string' } },
  required: ['title'],
} as const;
const fits = say(['{"title":"Pl', 'an","note"', ':null}'], { usage: { inputTokens: 10, outputTokens: 5 } });
const unfit = say('{"title":7}', { usage: { inputTokens: 10, outputTokens: 5 } });
const add = callTools({ tool: 'board.add', args: { title: 'A' } });

const generate = ({ session }: Stage) => session.generate('Name it', schema);

/** A chat turn with an effect, a `generate`, and another chat turn. */
const between = async (stage: Stage) => {
  await stage.session.send('Before').catch(() => {});
  await generate(stage).catch(() => {});
  await stage.session.send('After').catch(() => {});
};

const withholds: Middleware = {
  name: 'withholds',
  beforeRequest: async (request) => ({ ...request, system: 'Be brief.' }),
  afterResponse: async ({ text }) =>
    text.includes('Plan') ? { withhold: 'A plan.', again: 'Again.' } : 'keep',
};

/** Lives of a session with turns of `generate`. */
export const structuredScenarios: readonly Scenario[] = [
  { name: 'generate: an answer that fits', turns: { 'Name it': [fits] }, run: generate },
  {
    name: 'generate: an answer that fits after a repair',
    turns: { 'Name it': [unfit, fits] },
    run: generate,
  },
  {
    name: 'generate: two answers that do not fit',
    turns: { 'Name it': [unfit, unfit] },
    run: generate,
  },
  {
    name: 'generate: between two turns of the chat',
    turns: { Before: [add, say('Added.')], 'Name it': [unfit, fits], After: [add, say('Added.')] },
    run: between,
  },
  {
    name: 'generate: set aside between two turns of the chat',
    turns: {
      Before: [add, say('Added.')],
      'Name it': [finishWith('length', '{"title":"Pl')],
      After: [add, say('Added.')],
    },
    run: between,
  },
  {
    name: 'generate: an answer that a middleware withholds',
    turns: { Before: [say('Hello.')], 'Name it': [fits], After: [say('Bye.')] },
    options: { middleware: [withholds] },
    run: between,
  },
  {
    name: 'generate: cancelled while the answer arrives',
    turns: { Before: [say('Hello.')], 'Name it': [fits], After: [say('Bye.')] },
    run: between,
    watch: (session) => {
      session.operations$.subscribe(({ type }) => {
        if (type === 'outputArrived') void session.cancel();
      });
    },
  },
];
