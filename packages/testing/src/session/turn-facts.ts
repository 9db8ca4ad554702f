import { isAgentSessionError } from '@banister/session';
import { fold, initialState } from '@banister/session/operations';
import { checkOrder } from '../order/order-checker.js';
import { assert, assertEqual } from '../assert.js';
import { callTools, fail, say, stall } from '../scripted-answer.js';
import type { ProvenSessionFact } from './session-fact.js';

/** Facts about a turn and its end. */
export const turnFacts: readonly ProvenSessionFact[] = [
  {
    fact: 'answer',
    description: 'send resolves with the result of the turn, which joins the conversation',
    async prove(stage) {
      const session = await stage.open(say(['Hel', 'lo.']));
      const { status, text, rounds, messages } = await stage.result(session.send('Hi'));
      assertEqual([status, text, rounds], ['completed', 'Hello.', 1], 'the result');
      await stage.quiet();
      assertEqual(session.conversation.value.messages, messages, 'the conversation');
      assertEqual(session.turns.value[0]?.outcome?.status, 'completed', 'the outcome');
      assertEqual([session.isRunning.value, session.phase.value], [false, 'idle'], 'the end');
    },
  },
  {
    fact: 'running-at-once',
    description: 'isRunning is true when send and edit return, and false after a refusal',
    async prove(stage) {
      const session = await stage.open(say('Hello.'));
      const sent = session.send('Hi');
      assert(session.isRunning.value && session.state.isRunning, 'send returned, and isRunning is false');
      await stage.result(sent);
      await stage.quiet();
      const refused = session.edit('no such turn', 'Hi');
      assert(session.isRunning.value, 'edit returned, and isRunning is false');
      assertEqual(await stage.codeOf(refused), 'invalid-input', 'the refusal');
      await stage.quiet();
      assertEqual([session.isRunning.value, session.phase.value], [false, 'idle'], 'after the refusal');
    },
  },
  {
    fact: 'operations',
    description: 'operations$ has all operations in order, and their fold is the state',
    async prove(stage) {
      const session = await stage.open(
        callTools('One. ', { tool: 'board.add', args: { title: 'A' } }),
        say('Two.'),
      );
      const before = session.state;
      await stage.result(session.send('Hi'));
      await stage.quiet();
      const { operations } = stage;
      assertEqual(
        checkOrder(operations.filter(({ sequence }) => sequence > before.sequence)),
        [],
        'the order',
      );
      assertEqual(
        fold(before.sequence === 0 ? initialState() : before, operations),
        session.state,
        'the fold',
      );
    },
  },
  {
    fact: 'signals',
    description: 'text streams into the signals, which agree with the state',
    async prove(stage) {
      const session = await stage.open(stall('Hello'));
      session.send('Hi').catch(() => {});
      await stage.until(() => session.currentText.value === 'Hello', 'the text is there');
      for (const key of ['phase', 'currentText', 'isRunning', 'turns', 'liveTurn', 'headTurnId'] as const)
        assertEqual(session[key].value, session.state[key], `the signal ${key}`);
    },
  },
  {
    fact: 'immutable',
    description: 'the state is an immutable snapshot',
    async prove(stage) {
      const session = await stage.open(say('One.'), say('Two.'));
      await stage.result(session.send('1'));
      await stage.quiet();
      const { state } = session;
      const before = JSON.stringify(state);
      assert(session.state === state, 'a state without a change is another object');
      await stage.result(session.send('2'));
      await stage.quiet();
      assertEqual(session.state.turns.length, 2, 'the turns');
      assert(JSON.stringify(state) === before, 'the state of before has changed');
    },
  },
  {
    fact: 'busy',
    description: 'a send while a turn runs rejects already-running, and the turn goes on',
    async prove(stage) {
      const session = await stage.open(say('Hello.'));
      const first = session.send('1');
      const second = session.send('2');
      assertEqual(await stage.codeOf(second), 'already-running', 'the second');
      assertEqual((await stage.result(first)).text, 'Hello.', 'the first');
    },
  },
  {
    fact: 'invalid-input',
    description: 'an empty message rejects invalid-input, and leaves no trace',
    async prove(stage) {
      const session = await stage.open();
      const { sequence } = session.state;
      assertEqual(await stage.codeOf(session.send(' ')), 'invalid-input', 'the refusal');
      await stage.quiet();
      assertEqual([session.state.sequence, session.isRunning.value], [sequence, false], 'the state');
    },
  },
  {
    fact: 'limits',
    description: 'the limits of one send are kept, infinite ones too',
    async prove(stage) {
      const call = callTools({ tool: 'board.add', args: { title: 'A' } });
      const session = await stage.open(call, say('Two.'));
      const limits = { maxRounds: 1, timeoutMs: Infinity };
      assertEqual(await stage.codeOf(session.send('Hi', { limits })), 'max-rounds', 'the end');
    },
  },
  {
    fact: 'failure',
    description: 'a turn that fails rejects with its error, which lastError has as an instance',
    async prove(stage) {
      const session = await stage.open(fail('auth'));
      assertEqual(await stage.codeOf(session.send('Hi')), 'auth', 'the error');
      await stage.quiet();
      const error = session.lastError.value;
      assert(isAgentSessionError(error) && error.code === 'auth', 'lastError is another one');
      assertEqual(session.turns.value[0]?.outcome?.status, 'failed', 'the outcome');
    },
  },
  {
    fact: 'cancel',
    description: 'cancel ends the turn, takes its effects back, and reports it',
    async prove(stage) {
      const session = await stage.open(callTools({ tool: 'board.add', args: { title: 'A' } }), stall('Two'));
      const sent = session.send('Hi');
      await stage.until(() => session.currentText.value.includes('Two'), 'the second round streams');
      assert(stage.cards.has('A'), 'the card is not there');
      const report = await stage.result(session.cancel());
      assertEqual([report.cancelled, report.undo.done.length, stage.cards.size], [true, 1, 0], 'the report');
      assertEqual(await stage.codeOf(sent), 'cancelled', 'the turn');
      const idle = await stage.result(session.cancel());
      assertEqual([idle.landed, idle.cancelled], ['idle', false], 'a cancel while nothing runs');
    },
  },
  {
    fact: 'abort-signal',
    description: 'the signal of send aborts its turn',
    async prove(stage) {
      const session = await stage.open(stall('Hello'));
      const aborter = new AbortController();
      const sent = session.send('Hi', { signal: aborter.signal });
      await stage.until(() => session.currentText.value === 'Hello', 'the text is there');
      aborter.abort();
      assertEqual(await stage.codeOf(sent), 'cancelled', 'the turn');
    },
  },
  {
    fact: 'aborted-signal',
    description: 'a send whose signal has fired rejects cancelled, and no turn begins',
    async prove(stage) {
      const session = await stage.open();
      const aborter = new AbortController();
      aborter.abort();
      assertEqual(
        await stage.codeOf(session.send('Hi', { signal: aborter.signal })),
        'cancelled',
        'the refusal',
      );
      await stage.quiet();
      assertEqual(session.turns.value.length, 0, 'the turns');
    },
  },
  {
    fact: 'retry',
    description: 'retry repeats the last turn after a failure, and rejects nothing-to-retry otherwise',
    async prove(stage) {
      const session = await stage.open(fail('auth'), say('Hello.'));
      assertEqual(await stage.codeOf(session.send('Hi')), 'auth', 'the first attempt');
      assertEqual((await stage.result(session.retry())).text, 'Hello.', 'the second');
      await stage.quiet();
      assertEqual(session.turns.value.length, 1, 'the turns');
      assertEqual(await stage.codeOf(session.retry()), 'nothing-to-retry', 'a third');
    },
  },
];
