import { compaction } from '@handrail/session';
import { callTools, fail, say } from '@handrail/testing';
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

/** Lives of a session whose conversation is compacted. */
export const compactionScenarios: readonly Scenario[] = [
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
