import { compaction, type Provider } from '@banister/session';
import { callTools, fail, say, type ScriptedProvider } from '@banister/testing';
import type { Scenario, Stage } from './scenario.js';

const usage = { inputTokens: 10, outputTokens: 5 };
const long = 'word '.repeat(400);
const add = callTools({ tool: 'board.add', args: { title: 'A' } });
const answer = say(long, { usage });

/** Two long turns, a compaction, and a turn with an effect behind it. */
const compacts = async ({ session }: Stage) => {
  await session.send('One').catch(() => {});
  await session.send('Two').catch(() => {});
  await session.compact().catch(() => {});
  await session.send('Add').catch(() => {});
};

const turns = {
  One: [answer],
  Two: [answer],
  Add: [add, say('Added.')],
};

/** The model counts nothing, so that the session estimates: the tools have some 830 tokens, a long answer 500. */
const uncounted = { One: [say(long)], Two: [say(long)], Add: [add, say('Added.')] };

/** Returns a provider of a model with a small window, which two long answers fill. */
const withSmallWindow = (scripted: ScriptedProvider): Provider => ({
  id: scripted.id,
  model: 'small',
  capabilities: { ...scripted.capabilities, contextWindow: 2_200 },
  stream: (request, signal) => scripted.stream(request, signal),
});

/** Lives of a session that compacts by itself, before a request that would fill too much of the window. */
export const thresholdScenarios: readonly Scenario[] = [
  {
    name: 'compaction: inside of a turn with effects, at the threshold of the window',
    turns: uncounted,
    options: { compaction: compaction() },
    provider: withSmallWindow,
    ends: ['completed', 'completed', 'completed'],
  },
  {
    name: 'compaction: at the threshold of the window between two rounds, without a summary',
    turns: {
      ...uncounted,
      Two: [add, say('Added.')],
      Add: [callTools(long, { tool: 'board.add', args: { title: 'B' } }), say('Added.')],
    },
    options: { compaction: compaction({ summary: false }) },
    provider: withSmallWindow,
    ends: ['completed', 'completed', 'completed'],
  },
];

/** Lives of a session whose conversation is compacted. */
export const compactionScenarios: readonly Scenario[] = [
  ...thresholdScenarios,
  { name: 'compaction: between two turns', turns, run: compacts },
  {
    name: 'compaction: between two turns, then taken back',
    turns,
    run: async (stage) => {
      await compacts(stage);
      const [mark] = stage.session.compactions.value;
      if (mark) await stage.session.uncompact(mark.id).catch(() => {});
    },
  },
  {
    name: 'compaction: between two turns, with a middleware that sees the request for the summary',
    turns,
    options: {
      middleware: [{ name: 'adds', beforeRequest: (request) => ({ ...request, system: 'Be brief.' }) }],
    },
    run: compacts,
  },
  {
    name: 'compaction: inside of a turn with effects, after the model refused the request',
    turns: {
      ...turns,
      Add: [add, [fail('context-length'), say('Added.', { usage })]],
    },
    options: { compaction: compaction() },
  },
  {
    name: 'compaction: a turn that fails after it',
    turns: { ...turns, Add: [add, [fail('context-length'), fail('auth')]] },
    options: { compaction: compaction() },
  },
  {
    name: 'compaction: cancelled while the model writes',
    turns: { ...turns, Add: [add, [fail('context-length'), say('Added.')]] },
    options: { compaction: compaction() },
    watch: (session) => {
      session.operations$.subscribe((operation) => {
        if (operation.type === 'contextCompacted' && operation.summarizing) void session.cancel();
      });
    },
  },
];
