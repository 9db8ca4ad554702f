import { assertEqual } from '../assert.js';
import { callTools, say } from '../scripted-answer.js';
import type { ProvenSessionFact } from './session-fact.js';
import type { SessionStage } from './session-stage.js';

/** Facts about turns whose effects the user reviews. */
export const reviewFacts: readonly ProvenSessionFact[] = [
  {
    fact: 'accept',
    description:
      'a turn that is sent for review waits in the phase reviewing, and completes when its effects are accepted',
    async prove(stage) {
      const { session, sent } = await reviewing(stage);
      assertEqual([session.phase.value, session.isRunning.value], ['reviewing', true], 'the phase');
      assertEqual([...stage.cards], ['A', 'B'], 'the cards meanwhile');
      assertEqual((await stage.result(session.accept())).done, [], 'the report');
      assertEqual((await stage.result(sent)).status, 'completed', 'the turn');
      await stage.quiet();
      assertEqual(session.pendingReview.value, null, 'the review afterwards');
      assertEqual([...stage.cards], ['A', 'B'], 'the cards');
    },
  },
  {
    fact: 'reject',
    description: 'an effect that is rejected is taken back with those that depend on it, and the others stay',
    async prove(stage) {
      const { session, sent } = await reviewing(stage);
      const [first, second] = session.pendingReview.value!.effects;
      assertEqual(first!.dependents, [second!.toolCallId], 'the dependents');
      const report = await stage.result(session.reject([second!.toolCallId]));
      assertEqual(
        report.done.map(({ description }) => description),
        ['Added B'],
        'the report',
      );
      await stage.quiet();
      assertEqual(session.pendingReview.value?.effects.length, 1, 'the open effects');
      await stage.result(session.accept([first!.toolCallId]));
      await stage.result(sent);
      assertEqual([...stage.cards], ['A'], 'the cards');
    },
  },
];

/** Starts a turn that adds two cards and waits for review. */
async function reviewing(stage: SessionStage) {
  const calls = ['A', 'B'].map((title) => ({ tool: 'board.add', args: { title } }));
  const session = await stage.open(callTools(...calls), say('Done.'));
  const sent = session.send('Add A and B', { commit: 'review' });
  await stage.until(() => session.pendingReview.value !== null, 'the review is open');
  return { session, sent };
}
