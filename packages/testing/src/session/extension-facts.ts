import type { Extension } from '@banister/session';
import { assert, assertEqual } from '../assert.js';
import { callTools, say } from '../scripted-answer.js';
import type { ProvenSessionFact } from './session-fact.js';
import type { SessionStage } from './session-stage.js';

/** Facts about turns that ask to extend a limit. */
export const extensionFacts: readonly ProvenSessionFact[] = [
  {
    fact: 'extend',
    description: 'a turn whose limit tripped waits for the user, and goes on with more of it',
    async prove(stage) {
      const { session, sent, request } = await asked(stage);
      assertEqual(
        [request.limit, request.spent, request.allowed, session.phase.value],
        ['maxRounds', 1, 1, 'confirming'],
        'the request',
      );
      assert(request.expiresAt !== null && request.expiresAt > stage.clock.now(), 'the deadline is over');
      const wrong = await stage.result(request.extend(-1));
      assert(typeof wrong === 'object' && wrong.errors.length === 1, 'a wrong answer has its errors');
      assertEqual(await stage.result(request.extend(2)), 'accepted', 'the answer');
      assertEqual((await stage.result(sent)).text, 'Done.', 'the turn');
      await stage.quiet();
      assertEqual(session.pendingExtension.value, null, 'the request afterwards');
      assertEqual(session.budget.value.rounds, { spent: 2, left: 1 }, 'the budget');
    },
  },
  {
    fact: 'end',
    description:
      'a turn that gets no more stops, and keeps its effects; the second of two answers is already-settled',
    async prove(stage) {
      const { sent, request } = await asked(stage);
      const answers = [request.end(), request.extend()];
      const outcomes = [await stage.result(answers[0]!), await stage.result(answers[1]!)];
      assertEqual(outcomes, ['accepted', 'already-settled'], 'the outcomes');
      assertEqual((await stage.result(sent)).status, 'stopped', 'the turn');
      assertEqual([...stage.cards], ['A'], 'the cards');
    },
  },
];

/** Starts a turn that needs two rounds but may use one. */
async function asked(stage: SessionStage) {
  const session = await stage.open(callTools({ tool: 'board.add', args: { title: 'A' } }), say('Done.'));
  const sent = session.send('Add A', { limits: { maxRounds: 1, onTrip: 'ask' } });
  await stage.until(() => session.pendingExtension.value !== null, 'the request is there');
  return { session, sent, request: session.pendingExtension.value as Extension };
}
