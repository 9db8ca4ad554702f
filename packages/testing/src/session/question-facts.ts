import type { Confirmation } from '@banister/session';
import { assert, assertEqual } from '../assert.js';
import { callTools, say } from '../scripted-answer.js';
import type { ProvenSessionFact } from './session-fact.js';
import type { SessionStage } from './session-stage.js';

/** Facts about questions to the user. */
export const questionFacts: readonly ProvenSessionFact[] = [
  {
    fact: 'confirm',
    description: 'a call waits for the user, and runs when it is approved',
    async prove(stage) {
      const { sent, question } = await asked(stage);
      assertEqual(
        [question.call.tool, stage.cards.size, stage.session.phase.value],
        ['board.ask', 0, 'confirming'],
        'the question',
      );
      assert(question.expiresAt !== null && question.expiresAt > stage.clock.now(), 'the deadline is over');
      assertEqual(await stage.result(question.approve()), 'accepted', 'the answer');
      assertEqual((await stage.result(sent)).text, 'Done.', 'the turn');
      assertEqual([...stage.cards], ['A'], 'the cards');
      await stage.quiet();
      assertEqual(stage.session.pendingConfirmation.value, null, 'the question afterwards');
    },
  },
  {
    fact: 'deny',
    description: 'a call that is denied does not run',
    async prove(stage) {
      const { sent, question } = await asked(stage);
      assertEqual(await stage.result(question.deny('Not today.')), 'accepted', 'the answer');
      await stage.result(sent);
      assertEqual(stage.cards.size, 0, 'the cards');
    },
  },
  {
    fact: 'edited-arguments',
    description: 'a call runs with the arguments that the user edited',
    async prove(stage) {
      const { sent, question } = await asked(stage);
      await stage.result(question.approve({ arguments: { title: 'B' } }));
      await stage.result(sent);
      assertEqual([...stage.cards], ['B'], 'the cards');
    },
  },
  {
    fact: 'answered-once',
    description:
      'of two answers the first counts; the second and one to an unknown question are already-settled',
    async prove(stage) {
      const { sent, question } = await asked(stage);
      const answers = [question.approve(), question.deny('Too late.')];
      const outcomes = [await stage.result(answers[0]!), await stage.result(answers[1]!)];
      assertEqual(outcomes, ['accepted', 'already-settled'], 'the outcomes');
      await stage.result(sent);
      assertEqual([...stage.cards], ['A'], 'the cards');
      const { session } = stage;
      assertEqual(
        await stage.result(session.respond('none', { approve: true })),
        'already-settled',
        'an unknown one',
      );
    },
  },
  {
    fact: 'answer-is-a-fact',
    description: 'when respond returns, its operation was delivered and the state has changed',
    async prove(stage) {
      const { sent, question } = await asked(stage);
      void question.approve();
      assertEqual(stage.session.state.pendingConfirmations, [], 'the questions');
      await stage.result(sent);
    },
  },
];

/** Starts a turn that asks before it adds a card. */
async function asked(stage: SessionStage) {
  const session = await stage.open(callTools({ tool: 'board.ask', args: { title: 'A' } }), say('Done.'));
  const sent = session.send('Add A');
  await stage.until(() => session.pendingConfirmation.value !== null, 'the question is there');
  return { sent, question: session.pendingConfirmation.value as Confirmation };
}
