// Commands of a subscriber at the first leaf of a child turn.
import { beforeAll, expect, it } from 'vitest';
import { say, scriptedProvider, settle, stall } from '@banister/testing';
import { defineAgent, type CancelReport, type LocalAgentSession } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { delegate, team } from './agents-board.js';
import { agentsLoaded } from './agents-loaded.js';
import { fixture } from './fixture.js';

beforeAll(agentsLoaded);

const ways: readonly (readonly [string, (session: LocalAgentSession) => unknown])[] = [
  ['an abort', (session) => session.cancel({ immediate: true })],
  ['a cancel', (session) => session.cancel()],
  ['dispose', (session) => session.dispose()],
  ['dispose that leaves the turn', (session) => session.dispose({ turn: 'leave' })],
];

it.each(ways)(
  'agents C33, C36: after %s at its first leaf, an agent asks its model nothing',
  async (name, act) => {
    const provider = scriptedProvider([], { otherwise: () => stall() });
    await using f = fixture([delegate('a'), say('Done.')], {
      domains: [team()],
      looseScript: true,
      agents: [defineAgent({ id: 'a', role: 'a', provider })],
    });
    f.session.operations$.subscribe((operation) => {
      if (operation.type === 'subagent' && operation.inner.type === 'turnStarted')
        void Promise.resolve(act(f.session)).catch(() => {});
    });
    const turn = f.session.send('Go').catch(() => {});
    for (let i = 0; i < 10; i++) await settle();
    expect(provider.requests).toEqual([]);
    if (!name.includes('leaves')) {
      await turn;
      expect(f.session.state.liveTurn).toBeNull();
      expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([{ status: 'cancelled' }]);
    }
  },
);

it('agents C34: a child turn that is cancelled at its first leaf ends cancelled, and the turn goes on', async () => {
  const provider = scriptedProvider([], { otherwise: () => stall() });
  await using f = fixture([delegate('a'), say('Done.')], {
    domains: [team()],
    looseScript: true,
    agents: [defineAgent({ id: 'a', role: 'a', provider })],
  });
  const reports: CancelReport[] = [];
  f.session.operations$.subscribe((operation) => {
    if (operation.type !== 'subagent' || operation.inner.type !== 'turnStarted') return;
    void f.session.cancel({ child: operation.path[0] }).then((report) => reports.push(report));
  });
  expect(await f.session.send('Go')).toMatchObject({ status: 'completed', text: 'Done.' });
  expect(childrenOf(f.session.state.turns[0]!)).toMatchObject([{ status: 'cancelled' }]);
  expect(reports).toMatchObject([{ cancelled: true }]);
  expect(provider.requests).toEqual([]);
});
