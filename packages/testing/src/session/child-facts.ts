import type { AgentSession, ChildTurn, Confirmation } from '@banister/session';
import { childrenOf, findChild } from '@banister/session/operations';
import { assert, assertEqual } from '../assert.js';
import { callTools, say, stall } from '../scripted-answer.js';
import type { ProvenSessionFact } from './session-fact.js';
import type { SessionStage } from './session-stage.js';

const add = (title: string) => callTools({ tool: 'board.add', args: { title } });

const delegate = (...agents: readonly string[]) =>
  callTools(
    ...agents.map((agent) => ({ tool: 'banister.delegate', args: { agent, task: `Work, ${agent}.` } })),
  );

const endsOf = (children: readonly ChildTurn[]) => children.map(({ agent, status }) => [agent, status]);

const liveChildren = ({ liveTurn: { value } }: AgentSession) => (value === null ? [] : childrenOf(value));

/** Facts about child turns. */
export const childFacts: readonly ProvenSessionFact[] = [
  {
    fact: 'child-turn',
    description: 'the record of a call has its child turns, and undo takes their effects back',
    async prove(stage) {
      const session = await worked(stage);
      const children = childrenOf(session.turns.value[0]!);
      const both = [
        ['a', 'completed'],
        ['b', 'completed'],
      ];
      assertEqual(endsOf(children), both, 'the child turns');
      const messages = JSON.stringify(session.conversation.value.messages);
      assert(messages.includes('This is from a.'), 'the conversation has no result of the agent');
      assert(!messages.includes('I add.'), 'the conversation has a round of the agent');
      assertEqual([...stage.cards], ['A', 'B'], 'the cards');
      assertEqual((await stage.result(session.undo())).done.length, 2, 'the report of undo');
      assertEqual(stage.cards.size, 0, 'the cards after undo');
    },
  },
  {
    fact: 'child-live',
    description: 'the running turn has its child turns, with their text and their phase',
    async prove(stage) {
      stage.agent('a', stall('Look'));
      const session = await stage.open(delegate('a'));
      session.send('Go').catch(() => {});
      const looks = () => JSON.stringify(liveChildren(session)).includes('Look');
      await stage.until(looks, 'the text of the child turn is there');
      const [child] = liveChildren(session);
      assertEqual(
        [child?.agent, child?.status, child?.phase],
        ['a', 'running', 'streaming'],
        'the child turn',
      );
      assert(findChild(session.state, child!.id)?.id === child!.id, 'the state has no such child turn');
    },
  },
  {
    fact: 'child-question',
    description: 'a question of a child turn has its agent, and its call runs when the question is approved',
    async prove(stage) {
      stage.agent('a', callTools({ tool: 'board.ask', args: { title: 'A' } }), say('Asked.'));
      const session = await stage.open(delegate('a'), say('Done.'));
      const sent = session.send('Go');
      await stage.until(() => session.pendingConfirmation.value !== null, 'the question is there');
      const question = session.pendingConfirmation.value as Confirmation;
      const [child] = liveChildren(session);
      assertEqual(
        [question.agent?.id, question.agent?.child, question.agent?.path],
        ['a', child?.id, [child?.id]],
        'the agent of the question',
      );
      assertEqual([session.phase.value, stage.cards.size], ['confirming', 0], 'while the question is open');
      assertEqual(await stage.result(question.approve()), 'accepted', 'the answer');
      assertEqual((await stage.result(sent)).text, 'Done.', 'the turn');
      assertEqual([...stage.cards], ['A'], 'the cards');
    },
  },
  {
    fact: 'child-cancel',
    description: 'cancel of a child turn ends it and takes its effects back, and the others go on',
    async prove(stage) {
      stage.agent('a', add('A'), stall('Look'));
      stage.agent('b', add('B'), say('Done.'));
      const session = await stage.open(delegate('a', 'b'), say('Over.'));
      const sent = session.send('Go');
      const looks = () =>
        stage.cards.size === 2 &&
        liveChildren(session).some(({ agent, phase }) => agent === 'a' && phase === 'streaming') &&
        JSON.stringify(liveChildren(session)).includes('Look');
      await stage.until(looks, 'the second round of the child turn streams');
      const child = liveChildren(session).find(({ agent }) => agent === 'a')!.id;
      const report = await stage.result(session.cancel({ child }));
      assertEqual([report.cancelled, report.undo.done.length], [true, 1], 'the report');
      assertEqual((await stage.result(sent)).text, 'Over.', 'the turn');
      await stage.quiet();
      const ends = [
        ['a', 'cancelled'],
        ['b', 'completed'],
      ];
      assertEqual(endsOf(childrenOf(session.turns.value[0]!)), ends, 'the child turns');
      assertEqual([...stage.cards], ['B'], 'the cards');
      const late = await stage.result(session.cancel({ child }));
      assertEqual(late.cancelled, false, 'a second cancel');
    },
  },
  {
    fact: 'child-undo',
    description: 'undo and redo of one child turn move its effects alone',
    async prove(stage) {
      const session = await worked(stage);
      const { turnId, groups = [] } = session.undoEntries.value[0]!;
      assertEqual(
        groups.map(({ agent, state }) => [agent, state]),
        [
          ['a', 'done'],
          ['b', 'done'],
        ],
        'the groups',
      );
      const [a, b] = groups.map(({ child }) => ({ turnId, child }));
      assertEqual((await stage.result(session.undo(a))).done.length, 1, 'the report of undo');
      assertEqual([...stage.cards], ['B'], 'the cards after undo');
      assertEqual((await stage.result(session.undo(b))).done.length, 1, 'the report of the other undo');
      assertEqual(stage.cards.size, 0, 'the cards after both');
      assertEqual((await stage.result(session.redo(a))).done.length, 1, 'the report of redo');
      assertEqual([...stage.cards], ['A'], 'the cards after redo');
      const unknown = session.undo({ turnId, child: 'none' });
      assertEqual(await stage.codeOf(unknown), 'invalid-input', 'an unknown child turn');
    },
  },
];

/** A session after a turn in which two agents worked, one after the other. */
async function worked(stage: SessionStage): Promise<AgentSession> {
  for (const id of ['a', 'b'])
    stage.agent(
      id,
      callTools('I add. ', { tool: 'board.add', args: { title: id.toUpperCase() } }),
      say(`This is from ${id}.`),
    );
  const session = await stage.open(delegate('a'), delegate('b'), say('Done.'));
  await stage.result(session.send('Go'));
  await stage.quiet();
  return session;
}
