import type { LocalAgentSession } from '@banister/session';
import { callTools, fail, finishWith, say, settle, stall } from '@banister/testing';
import type { Scenario, TurnScript } from './scenario.js';

const call = (tool: string, title: string) => ({ tool: `board.${tool}`, args: { title } });
const usage = (inputTokens: number, amount = 0) =>
  ({ type: 'usage', usage: { inputTokens, cost: { amount, currency: 'EUR' } } }) as const;
const calling = callTools(call('add', 'A'), call('paint', 'B'));
const rounds: TurnScript = [calling, callTools(call('add', 'D')), say('Done.')];

/** Ends the second request, and gives more at each other one. */
const onceMore = (_request: unknown, nth: number) => (nth === 2 ? ({ end: true } as const) : { extend: {} });

const life = (
  name: string,
  limits: NonNullable<Scenario['options']>['limits'],
  more: Partial<Scenario> = {},
): Scenario => ({
  name: `more, please: ${name}`,
  turns: { Go: rounds },
  ...more,
  options: { ...more.options, limits: { onTrip: 'ask', ...limits } },
});

/** Lives of a session whose user is asked for more of a limit. */
export const extensionScenarios: readonly Scenario[] = [
  life('each round', { maxRounds: 1 }),
  life('each call', { maxToolCalls: 1 }),
  life(
    'tokens',
    { maxTokens: 10 },
    {
      turns: {
        Go: [
          finishWith('tool-calls', usage(20), call('add', 'A')),
          callTools(usage(50), call('add', 'B')),
          say('Done.'),
        ],
      },
    },
  ),
  life(
    'money of the session',
    { session: { maxCost: 1 } },
    {
      turns: { Go: [callTools(usage(1, 2), call('add', 'A')), say('Done.')], More: [say('Fine.')] },
    },
  ),
  life(
    'time, while an answer streams',
    { timeoutMs: 5_000 },
    { turns: { Go: [calling, stall('Half')] }, extend: onceMore },
  ),
  life('the second request ends it', { maxToolCalls: 1 }, { extend: onceMore }),
  life('no answer', { maxToolCalls: 1 }, { extend: () => null }),
  life('a cancel', { maxToolCalls: 1 }, { extend: cancelling() }),
  life('a cancel that keeps the effects', { maxToolCalls: 1 }, { extend: cancelling('keep') }),
  life(
    'beside questions',
    { maxToolCalls: 1, maxRounds: 1 },
    {
      turns: { Go: [callTools(call('ask', 'A'), call('add', 'B')), say('Done.')] },
    },
  ),
  life('a failure afterwards', { maxRounds: 1 }, { turns: { Go: [calling, fail('auth')] } }),
  life(
    'a message that steers',
    { maxRounds: 1 },
    {
      turns: { Go: rounds, Also: [say('Fine.'), say('Fine.'), say('Fine.'), say('Fine.')] },
      run: async ({ session }) => {
        const turn = session.send('Go').catch(() => {});
        await settle();
        await session.steer('Also').catch(() => {});
        await turn;
      },
    },
  ),
];

function cancelling(sideEffects: 'rollback' | 'keep' = 'rollback'): Scenario['extend'] {
  return (_request, _nth, session: LocalAgentSession) => {
    void session.cancel({ sideEffects }).catch(() => {});
    return null;
  };
}
