import { createAgentSession, textOf, type AgentSession } from '@banister/session';
import { assert, assertEqual } from '../assert.js';
import { callTools, say, stall } from '../scripted-answer.js';
import { scriptedProvider } from '../scripted-provider.js';
import type { ProvenSessionFact } from './session-fact.js';

const add = (title: string) => callTools({ tool: 'board.add', args: { title } });

const inputsOf = ({ turns }: AgentSession) => turns.value.map(({ input }) => textOf(input));

/** Facts about undo, the queue, branches, and the end of a session. */
export const afterFacts: readonly ProvenSessionFact[] = [
  {
    fact: 'undo',
    description: 'undo takes the effects of a turn back, and redo makes them again',
    async prove(stage) {
      const session = await stage.open(add('A'), say('Done.'));
      await stage.result(session.send('Add A'));
      await stage.until(() => session.canUndo.value, 'the turn can be undone');
      assertEqual((await stage.result(session.undo())).done.length, 1, 'the report of undo');
      assertEqual(stage.cards.size, 0, 'the cards after undo');
      await stage.until(() => session.canRedo.value, 'the turn can be redone');
      assertEqual((await stage.result(session.redo())).done.length, 1, 'the report of redo');
      assertEqual([...stage.cards], ['A'], 'the cards after redo');
    },
  },
  {
    fact: 'nothing-to-undo',
    description:
      'undo rejects nothing-to-undo where there is nothing, and conflict for another turn than the newest',
    async prove(stage) {
      const session = await stage.open(add('A'), say('1.'), add('B'), say('2.'));
      assertEqual(await stage.codeOf(session.undo()), 'nothing-to-undo', 'an empty session');
      await stage.result(session.send('1'));
      await stage.result(session.send('2'));
      await stage.quiet();
      const turnId = session.turns.value[0]!.id;
      assertEqual(await stage.codeOf(session.undo({ turnId })), 'conflict', 'the older turn');
    },
  },
  {
    fact: 'nothing-to-resume',
    description: 'resume and abandon reject nothing-to-resume where nothing was interrupted',
    async prove(stage) {
      const session = await stage.open();
      assertEqual(await stage.codeOf(session.resume()), 'nothing-to-resume', 'resume');
      assertEqual(await stage.codeOf(session.abandon()), 'nothing-to-resume', 'abandon');
    },
  },
  {
    fact: 'queue',
    description: 'the queue runs its messages in their order, after changes of it',
    async prove(stage) {
      const session = await stage.open(stall('One'), say('Three.'), say('Two.'));
      session.send('1').catch(() => {});
      await stage.until(() => session.currentText.value === 'One', 'the first turn runs');
      const two = session.enqueue('2', { id: 'two' });
      const three = session.enqueue('3', { id: 'three' });
      const gone = session.enqueue('4', { id: 'four' });
      await stage.until(() => session.queue.value.length === 3, 'three messages wait');
      assertEqual(await stage.result(session.requeue('three', { before: 'two' })), true, 'requeue');
      assertEqual(await stage.result(session.dequeue('four')), true, 'dequeue');
      assertEqual(await stage.result(session.dequeue('four')), false, 'a second dequeue');
      assertEqual(await stage.result(gone), 'cancelled', 'the message that was removed');
      await stage.result(session.cancel());
      await stage.until(() => session.queuePaused.value, 'the queue waits after the cancel');
      await stage.result(session.resumeQueue());
      assertEqual(
        [await stage.result(three), await stage.result(two)],
        ['completed', 'completed'],
        'the others',
      );
      await stage.quiet();
      assertEqual(inputsOf(session), ['1', '3', '2'], 'the turns');
    },
  },
  {
    fact: 'steer',
    description: 'a steering message joins the running turn',
    async prove(stage) {
      const session = await stage.open(callTools({ tool: 'board.ask', args: { title: 'A' } }), say('Done.'));
      const sent = session.send('Add A');
      await stage.until(() => session.pendingConfirmation.value !== null, 'the question is there');
      const steered = session.steer('Call it B');
      await stage.until(() => session.queue.value.length === 1, 'the message waits');
      await stage.result(session.pendingConfirmation.value!.approve());
      assertEqual(await stage.result(steered), 'joined', 'the message');
      await stage.result(sent);
    },
  },
  {
    fact: 'regenerate',
    description: 'regenerate takes the effects of the turn back, and starts another one beside it',
    async prove(stage) {
      const session = await stage.open(add('A'), say('1.'), say('2.'));
      await stage.result(session.send('Add A'));
      await stage.quiet();
      assertEqual((await stage.result(session.regenerate())).text, '2.', 'the new turn');
      await stage.quiet();
      assertEqual([stage.cards.size, session.turns.value.length], [0, 1], 'the cards and the turns');
    },
  },
  {
    fact: 'edit',
    description: 'edit starts a turn with another message beside a turn',
    async prove(stage) {
      const session = await stage.open(say('1.'), say('2.'));
      await stage.result(session.send('First'));
      await stage.quiet();
      await stage.result(session.edit(session.turns.value[0]!.id, 'Second'));
      await stage.quiet();
      assertEqual(inputsOf(session), ['Second'], 'the turns');
      const { position, ids } = session.branches.value[session.turns.value[0]!.id]!;
      assertEqual([position, ids.length], [2, 2], 'the branches');
    },
  },
  {
    fact: 'switch',
    description: 'switchTo makes another branch the conversation',
    async prove(stage) {
      const session = await stage.open(say('1.'), say('2.'));
      await stage.result(session.send('First'));
      await stage.quiet();
      const first = session.turns.value[0]!.id;
      await stage.result(session.edit(first, 'Second'));
      await stage.result(session.switchTo(first));
      await stage.quiet();
      assertEqual([inputsOf(session), session.headTurnId.value], [['First'], first], 'the conversation');
    },
  },
  {
    fact: 'save',
    description: 'save returns the conversation for another session',
    async prove(stage) {
      const session = await stage.open(add('A'), say('Done.'));
      await stage.result(session.send('Add A'));
      await stage.quiet();
      const conversation = JSON.parse(JSON.stringify(session.save())) as ReturnType<AgentSession['save']>;
      const opened = createAgentSession({ provider: scriptedProvider([]), conversation });
      assertEqual(
        opened.turns.value.map(({ id }) => id),
        session.turns.value.map(({ id }) => id),
        'the turns',
      );
      assertEqual(opened.conversation.value, session.conversation.value, 'the conversation');
      await opened.dispose();
    },
  },
  {
    fact: 'bound-methods',
    description: 'a method can be taken off the session, and its promise may be ignored',
    async prove(stage) {
      const session = await stage.open(say('Hello.'));
      const { send, undo, cancel } = session;
      void undo();
      assertEqual((await stage.result(send('Hi'))).text, 'Hello.', 'the turn');
      assertEqual((await stage.result(cancel())).cancelled, false, 'the cancel');
    },
  },
  {
    fact: 'dispose',
    description: 'dispose completes operations$; every later command rejects disposed, and the state stays',
    async prove(stage) {
      const session = await stage.open(say('Hello.'));
      await stage.result(session.send('Hi'));
      await stage.quiet();
      let isOver = false;
      session.operations$.subscribe({ complete: () => (isOver = true) });
      const ends = [session.dispose(), session.dispose()];
      await stage.result(Promise.all(ends));
      assert(isOver, 'operations$ goes on');
      const codes = [session.send('Hi'), session.undo(), session.cancel(), session.enqueue('Hi')];
      for (const code of codes) assertEqual(await stage.codeOf(code), 'disposed', 'a later command');
      assertEqual(session.turns.value.length, 1, 'the turns');
    },
  },
  {
    fact: 'dispose-rolls-back',
    description: 'dispose aborts the running turn, and takes its effects back',
    async prove(stage) {
      const session = await stage.open(add('A'), stall('Two'));
      const sent = session.send('Add A');
      await stage.until(() => session.currentText.value === 'Two', 'the second round streams');
      await stage.result(session.dispose());
      assertEqual([await stage.codeOf(sent), stage.cards.size], ['cancelled', 0], 'the end');
    },
  },
];
