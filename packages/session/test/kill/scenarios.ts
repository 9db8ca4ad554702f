import { defineGuard, type Operation } from '@banister/session';
import {
  callInside,
  callTools,
  fail,
  failAfter,
  finishWith,
  say,
  settle,
  stall,
  type AnswerSource,
  type ScriptedAnswer,
} from '@banister/testing';
import { first } from 'rxjs';
import { agentScenarios } from './agent-scenarios.js';
import { attachmentScenarios } from './attachment-scenarios.js';
import { branchScenarios } from './branch-scenarios.js';
import type { KillApp } from './kill-app.js';
import { consentScenarios, previewScenarios } from './consent-scenarios.js';
import { discoveryScenarios } from './discovery-scenarios.js';
import { killHistory } from './kill-history.js';
import { fallbackScenarios, waitingScenarios } from './fallback-scenarios.js';
import { middlewareScenarios } from './middleware-scenarios.js';
import { compactionScenarios } from './compaction-scenarios.js';
import { extensionScenarios } from './extension-scenarios.js';
import { reviewScenarios } from './review-scenarios.js';
import { structuredScenarios } from './structured-scenarios.js';
import type { Scenario } from './scenario.js';

const call = (tool: string, title?: string, second?: string) => ({
  tool: `board.${tool}`,
  args: { ...(title === undefined ? {} : { title }), ...(second === undefined ? {} : { second }) },
});
const asks = defineGuard('ask', () => ({ confirm: 'Really?' }));
const usage = { inputTokens: 10, outputTokens: 5 };
const done = say('Done.', { usage });
const one = (tool: string) => [callTools(call(tool, 'A')), done];
const calm = { Go: [callTools(call('add', 'A')), done] };

/** An answer to a request with a tool choice, and to one without. Another request fails. */
const bound =
  (answer: ScriptedAnswer): AnswerSource =>
  ({ toolChoice }) =>
    toolChoice === undefined ? fail('provider-contract') : answer;
const free =
  (answer: ScriptedAnswer): AnswerSource =>
  ({ toolChoice }) =>
    toolChoice === undefined ? answer : fail('provider-contract');

/** Lives of a session, each cut after every operation. */
export const scenarios: readonly Scenario[] = [
  { name: 'text', turns: { Go: [say(['Hel', 'lo.'], { usage })], More: [say('Again.')] } },
  { name: 'thinking', turns: { Go: [say(['He', 'llo.'], { thinking: ['Hm', 'm.'], usage })] } },
  { name: 'a tool with data', turns: { Go: one('add') } },
  { name: 'a tool with closures', turns: { Go: one('paint') } },
  { name: 'an effect that cannot be taken back', turns: { Go: one('mail') } },
  { name: 'a tool that is safe to repeat', turns: { Go: one('ensure') } },
  { name: 'a tool that is repeated if the user agrees', turns: { Go: one('publish') } },
  {
    name: 'a tool that is not repeated, since the user declines',
    turns: { Go: one('publish') },
    decide: () => ({ approve: false, reason: 'No.' }),
  },
  { name: 'two effects of one call', turns: { Go: [callTools(call('both', 'A', 'B')), done] } },
  { name: 'a reading tool', turns: { Go: [callTools(call('list'), call('add', 'A')), done] } },
  {
    name: 'several rounds, data and closures mixed',
    turns: {
      Go: [
        callTools('One. ', call('add', 'A'), call('paint', 'B')),
        callTools('Two. ', call('ensure', 'C'), call('mail', 'D')),
        done,
      ],
      More: [callTools(call('add', 'E')), done],
    },
  },
  {
    name: 'a tool that has to be called',
    turns: { Go: [bound(callTools(call('add', 'A'), call('paint', 'B'))), free(done)] },
    run: ({ session }) => session.send('Go', { toolChoice: 'required' }),
  },
  {
    name: 'one tool that has to be called, inside an answer and after it',
    turns: {
      Go: [
        bound(finishWith('stop', callInside(call('add', 'A')), callInside(call('add', 'B')), 'Done.')),
        free(done),
      ],
      More: [bound(callTools(call('add', 'C'))), free(callTools(call('paint', 'D'))), free(done)],
    },
    run: async ({ session }) => {
      await session.send('Go', { toolChoice: { tool: 'board.add' } });
      await session.send('More', { toolChoice: { tool: 'board.add' } });
    },
  },
  {
    name: 'no tool may be called',
    turns: { Go: [bound(done)], More: [bound(callTools('I add. ', call('add', 'A')))] },
    run: async ({ session }) => {
      await session.send('Go', { toolChoice: 'none' });
      await session.send('More', { toolChoice: 'none' });
    },
  },
  {
    name: 'an answer that ignores the tool choice',
    turns: { Go: [callTools(call('add', 'A')), done], More: [bound(say('No.'))] },
    run: async ({ session }) => {
      await session.send('Go');
      await session.send('More', { toolChoice: 'required' });
    },
  },
  {
    name: 'parallel calls',
    turns: { Go: [callTools(call('side', 'A'), call('side', 'B'), call('list'), call('side', 'C')), done] },
  },
  {
    name: 'calls with different resources',
    unversioned: true,
    turns: {
      Go: [callTools(call('slot', 'A'), call('slot', 'B'), call('slot', 'A'), call('paint', 'C')), done],
    },
  },
  {
    name: 'calls inside an answer',
    turns: {
      Go: [
        finishWith(
          'stop',
          'First. ',
          callInside(call('add', 'A')),
          'Then. ',
          callInside(call('ensure', 'B')),
          'End.',
        ),
        done,
      ],
    },
  },
  {
    name: 'approvals for tools that the provider hosts',
    turns: {
      Go: [
        callTools(
          call('add', 'A'),
          { tool: 'zip.shorten', args: { url: 'a' }, hosted: true },
          { tool: 'zip.shorten', args: { url: 'b' }, hosted: true },
        ),
        done,
      ],
    },
    decide: ({ arguments: args }) => ({ approve: args['url'] !== 'b' }),
  },
  {
    name: 'confirmations by signal',
    turns: { Go: [callTools(call('add', 'A'), call('ensure', 'B')), done] },
    options: { guards: [asks] },
  },
  {
    name: 'a confirmation that is declined',
    turns: { Go: [callTools(call('add', 'A'), call('ensure', 'B')), done] },
    options: { guards: [asks] },
    decide: ({ tool }) => ({ approve: tool !== 'board.add' }),
  },
  {
    name: 'confirmations by the handler',
    turns: { Go: [callTools(call('add', 'A'), call('paint', 'B')), done] },
    options: { guards: [asks], confirm: async () => ({ approve: true }) },
  },
  {
    name: 'edited arguments',
    turns: { Go: [callTools(call('add', 'A'), call('ensure', 'B')), done] },
    options: { guards: [asks] },
    decide: ({ tool }) => ({ approve: true, ...(tool === 'board.add' ? { arguments: { title: 'Z' } } : {}) }),
  },
  {
    name: 'retries of the provider',
    turns: {
      Go: [
        [fail('rate-limit'), fail('network'), callTools(call('add', 'A'))],
        [fail('network'), done],
      ],
    },
  },
  {
    name: 'a tool that stops the turn',
    turns: { Go: [callTools(call('last', 'A'), call('add', 'B')), done] },
  },
  {
    name: 'an answer that was cut off',
    turns: { Go: [callTools(call('add', 'A')), finishWith('length', 'So far')] },
  },
  {
    name: 'a limit that stops',
    turns: { Go: [callTools(call('add', 'A')), callTools(call('add', 'B')), done] },
    options: { limits: { maxToolCalls: 1, onTrip: 'stop' } },
  },
  {
    name: 'a limit that fails',
    turns: { Go: [callTools(call('add', 'A'), call('paint', 'B')), done] },
    options: { limits: { maxRounds: 1 } },
  },
  {
    name: 'a provider that fails',
    turns: { Go: [callTools(call('add', 'A'), call('both', 'B', 'C')), failAfter(['Half'], 'auth')] },
  },
  {
    name: 'tools that fail',
    turns: { Go: [callTools(call('half', 'A'), call('broken'), call('unknown'), call('add')), done] },
  },
  {
    name: 'a tool that runs out of time',
    turns: { Go: [callTools(call('slow', 'A'), call('add', 'B')), done] },
  },
  {
    name: 'a cancel',
    turns: { Go: [callTools(call('add', 'A'), call('paint', 'B')), stall('Half')] },
    resumed: { Go: [callTools(call('add', 'A'), call('paint', 'B')), done] },
    run: async ({ session }) => {
      const turn = session.send('Go').catch(() => {});
      await settle();
      await session.cancel();
      await turn;
    },
  },
  {
    name: 'a cancel that keeps the effects',
    turns: { Go: [callTools(call('add', 'A'), call('paint', 'B')), stall('Half')] },
    resumed: { Go: [callTools(call('add', 'A'), call('paint', 'B')), done] },
    run: async ({ session }) => {
      const turn = session.send('Go').catch(() => {});
      await settle();
      await session.cancel({ sideEffects: 'keep' });
      await turn;
    },
  },
  {
    name: 'a cancel that cuts a running tool',
    turns: { Go: [callTools(call('add', 'A'), call('slow', 'B')), done] },
    run: async ({ session }) => {
      const turn = session.send('Go').catch(() => {});
      await settle();
      await session.cancel({ immediate: true });
      await turn;
    },
  },
  {
    name: 'tools that succeed after their time was up',
    turns: { Go: [callTools(call('late', 'A'), call('latePaint', 'B'), call('lateMail', 'C')), done] },
  },
  {
    name: 'a tool that succeeds after its time was up, in a turn that fails',
    turns: { Go: [callTools(call('late', 'A'), call('add', 'B')), fail('auth')] },
  },
  ...['late', 'latePaint', 'lateMail'].map((tool): Scenario => ({
    name: `a cancel, and ${tool} that succeeds after it`,
    turns: { Go: [callTools(call('add', 'A'), call(tool, 'B')), done] },
    run: async ({ session }) => {
      const turn = session.send('Go').catch(() => {});
      await settle();
      await session.cancel({ immediate: true });
      await turn;
      await settle();
    },
  })),
  {
    name: 'a cancel during a confirmation',
    turns: calm,
    options: { guards: [asks] },
    run: async ({ session }) => {
      const turn = session.send('Go').catch(() => {});
      await new Promise<void>((resolve) => {
        session.operations$.subscribe(({ type }) => type === 'confirmationRequested' && resolve());
      });
      await session.cancel();
      await turn;
    },
  },
  {
    name: 'undo and redo',
    turns: { Go: [callTools(call('add', 'A'), call('both', 'B', 'C')), done], More: one('ensure') },
    run: async ({ session }) => {
      await session.send('Go');
      await session.undo();
      await session.redo();
      await session.undo();
    },
  },
  {
    name: 'undo and redo of any turn, below others and with turns in the way, and an edit that closes redo',
    paths: (title) => [`cards/${title}`],
    turns: {
      One: [callTools(call('add', 'A'), call('add', 'B')), done],
      Two: [callTools(call('add', 'C')), done],
      Three: [callTools(call('add', 'A')), done],
    },
    run: async ({ session, app }) => {
      for (const text of ['One', 'Two', 'Three']) await session.send(text);
      const [one, two, three] = session.turns.value.map(({ id }) => id);
      await session.undo({ turnId: two! });
      await session.undo({ turnId: one! }).catch(() => {});
      await session.undo({ turnId: three! });
      await session.undo({ turnId: one! });
      await session.redo({ turnId: three! }).catch(() => {});
      await session.redo({ turnId: two! });
      await session.redo();
      app.ensure('Mine', 'user');
      session.touch('board');
      await session.redo().catch(() => {});
    },
  },
  {
    name: 'undo and redo of closures',
    turns: { Go: [callTools(call('paint', 'A'), call('add', 'B')), done] },
    run: async ({ session }) => {
      await session.send('Go');
      await session.undo();
      await session.redo();
    },
  },
  {
    name: 'undo and redo of data, then a closure',
    turns: { Go: [callTools(call('add', 'A'), call('add', 'B'), call('paint', 'C')), done] },
    run: async ({ session }) => {
      await session.send('Go');
      await session.undo();
      await session.redo();
    },
  },
  {
    name: 'a retry of a failed turn',
    turns: { Go: [callTools(call('add', 'A')), [fail('auth'), done]] },
    run: async ({ session }) => {
      await session.send('Go').catch(() => {});
      await session.retry();
    },
  },
  {
    name: 'messages that steer a turn',
    turns: { Go: [callTools(call('add', 'A')), say('Fine.'), callTools(call('paint', 'B')), done] },
    run: async ({ session }) => {
      await session.resumeQueue();
      const steersAt = (type: Operation['type'], text: string) =>
        session.operations$.pipe(first((one) => one.type === type)).subscribe(() => void session.steer(text));
      steersAt('toolStarted', 'After the call');
      steersAt('roundCompleted', 'After the final answer');
      await session.send('Go');
    },
  },
  {
    name: 'messages in a queue, one of them changed and one removed',
    turns: { Go: one('add'), More: one('paint'), Last: [say('Bye.')] },
    run: async ({ session }) => {
      const turn = session.send('Go');
      const more = session.enqueue('More', { id: 'more' });
      const last = session.enqueue('Later', { id: 'last' });
      void session.enqueue('Never', { id: 'never' });
      await turn;
      await session.dequeue('never');
      await session.requeue('last', { input: 'Last', before: 'more' });
      await Promise.all([more, last]);
    },
  },
  {
    name: 'a queue that is paused and resumed',
    turns: { Go: [stall('Half')], More: one('add') },
    run: async ({ session }) => {
      const turn = session.send('Go').catch(() => {});
      const more = session.enqueue('More');
      const steered = session.steer('Also');
      await settle();
      await session.cancel();
      await turn;
      await steered;
      await session.dequeue(session.queue.value[0]!.id);
      await session.resumeQueue();
      await more;
    },
  },
  ...[true, false].flatMap((restores) => withHistory(restores)),
  ...agentScenarios,
  ...branchScenarios,
  ...middlewareScenarios,
  ...fallbackScenarios,
  ...waitingScenarios,
  ...attachmentScenarios,
  ...structuredScenarios,
  ...compactionScenarios,
  ...discoveryScenarios,
  ...reviewScenarios,
  ...consentScenarios,
  ...extensionScenarios,
  ...previewScenarios,
];

/** Lives of a session whose app has its own history. */
function withHistory(restores: boolean): readonly Scenario[] {
  const history = (app: KillApp) => killHistory(app, restores);
  const named = (name: string) => `${name}, with a history that restores ${restores ? 'turns' : 'no turn'}`;
  const mixed = [callTools(call('add', 'A'), call('paint', 'B'), call('mail', 'C')), done];
  return [
    { name: named('effects of all kinds'), history, turns: { Go: mixed } },
    { name: named('a turn that fails'), history, turns: { Go: [mixed[0]!, fail('auth')] } },
    {
      name: named('undo and redo'),
      history,
      turns: { Go: [callTools(call('add', 'A'), call('paint', 'B')), done], More: one('both') },
      run: async ({ session }) => {
        await session.send('Go');
        await session.undo();
        await session.redo();
        await session.undo();
      },
    },
  ];
}
