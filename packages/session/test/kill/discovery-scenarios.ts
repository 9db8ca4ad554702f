import { defineGuard, stagedDiscovery } from '@banister/session';
import { callInside, callTools, fail, finishWith, say } from '@banister/testing';
import { clockDomain } from './clock-domain.js';
import type { Scenario } from './scenario.js';

const call = (tool: string, title: string) => ({ tool: `board.${tool}`, args: { title } });
const use = (...ids: readonly string[]) => ({ tool: 'banister.use_domain', args: { ids: [...ids] } });
const list = { tool: 'banister.list_domains', args: {} };
const done = say('Done.', { usage: { inputTokens: 10, outputTokens: 5 } });
const discovery = stagedDiscovery({ always: true });
const asks = defineGuard('ask', () => ({ confirm: 'Really?' }));

/** Lives of a session whose domains are activated one after the other. */
export const discoveryScenarios: readonly Scenario[] = [
  {
    name: 'discovery: a domain that the model activates, and one that it may not',
    turns: {
      Go: [
        callTools(list),
        [fail('network'), callTools(use('board'), call('add', 'Early'))],
        callTools(call('add', 'A'), use('clock')),
        done,
      ],
      Then: [callTools(call('paint', 'B'), use('clock')), callTools({ tool: 'clock.now', args: {} }), done],
    },
    more: [clockDomain],
    options: { discovery },
  },
  {
    name: 'discovery: a user who is asked about each call',
    turns: { Go: [callTools(use('board'), use('clock')), callTools(call('add', 'A')), done] },
    more: [clockDomain],
    options: { discovery, guards: [asks] },
  },
  {
    name: 'discovery: a domain that the tool choice activates',
    turns: { Go: [callTools(call('add', 'A')), callTools(use('clock')), done] },
    more: [clockDomain],
    options: { discovery },
    run: ({ session }) => session.send('Go', { toolChoice: { tool: 'board.add' } }),
  },
  {
    name: 'discovery: a tool choice of a domain over the cap',
    turns: { Go: [callTools(call('add', 'A')), callTools(use('clock')), done] },
    more: [clockDomain],
    options: { discovery: stagedDiscovery({ maxTools: 4 }) },
    run: ({ session }) => session.send('Go', { toolChoice: { tool: 'board.add' } }),
  },
  {
    name: 'discovery: a domain that becomes active inside an answer',
    turns: {
      Go: [
        finishWith('stop', 'I look. ', callInside(use('board'), list), 'Never said.'),
        finishWith('stop', callInside(call('add', 'A')), 'Done.'),
        done,
      ],
    },
    more: [clockDomain],
    options: { discovery },
  },
  {
    name: 'discovery: a branch that starts before the activation',
    turns: {
      Go: [say('Hello.')],
      Add: [callTools(use('board')), callTools(call('add', 'A')), done],
      Other: [callTools(call('add', 'B'), use('clock')), done],
    },
    more: [clockDomain],
    options: { discovery },
    run: async ({ session }) => {
      for (const text of ['Go', 'Add']) await session.send(text).catch(() => {});
      const last = session.turns.value.at(-1);
      if (last === undefined) return;
      await session.edit(last.id, 'Other').catch(() => {});
      await session.switchTo(last.id).catch(() => {});
    },
  },
];
