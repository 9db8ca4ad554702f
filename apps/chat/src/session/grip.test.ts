import { AgentSessionError, createAgentSession, textOf, type SessionOptions } from '@banister/session';
import { computed, signal } from '@banister/session/signals';
import { callTools, fail, say, scriptedProvider, stall, type ScriptedAnswer } from '@banister/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { createBoardEditor } from '../board/board-editor.js';
import { createBoardGuards } from '../board/board-guards.js';
import { BoardHistory } from '../board/board-history.js';
import { BoardStore } from '../board/board-store.js';
import { describeCall } from '../board/describe-call.js';
import { firstBoard } from '../board/first-board.js';
import { readCommands } from '../offline/read-commands.js';
import { createBranching } from './branching.js';
import { createCues } from './cues.js';
import { createGrip } from './grip.js';
import { createInterruption } from './interruption.js';
import { createReview } from './review.js';
import { createTurnUndo } from './turn-undo.js';

let end = () => Promise.resolve();
afterEach(() => end());

const add = (title: string) => ({ tool: 'board.add_card', args: { column: 'Todo', title } });

function gripOf(...answers: readonly ScriptedAnswer[]) {
  return gripThat(undefined, answers);
}

/** @param asks the session options that make it ask */
function gripThat(
  asks: ((board: BoardStore) => Pick<SessionOptions, 'guards' | 'limits'>) | undefined,
  answers: readonly ScriptedAnswer[],
) {
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const session = createAgentSession({
    provider: scriptedProvider(answers),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    history,
    ...asks?.(board),
  });
  end = () => session.dispose();
  const current = signal(session);
  const editor = createBoardEditor(board, history);
  const grip = createGrip({
    session: current,
    questions: { current: signal(null), approve: () => Promise.resolve() },
    turnUndo: createTurnUndo(current, { focus: () => {} }),
    review: createReview(current),
    interruption: createInterruption(current, { giveBack: () => {}, tell: () => {} }),
    pastChanges: { notice: computed(() => null), startFresh: () => {} },
    branching: createBranching({ session: current, cues: createCues() }),
    history: history.list,
    describe: ({ tool, ranWith, arguments: args }) => describeCall(board, tool, ranWith ?? args),
    edits: editor,
  });
  const shown = () => {
    const { kind, title, detail, actions } = grip.shown.value;
    return [kind, `${title} ${detail}`.trim(), ...actions.map(({ label }) => label)];
  };
  return { session, board, editor, grip, shown };
}

test('the grip offers nothing at first, then the undo of the newest turn, then its redo', async () => {
  const { session, grip, shown } = gripOf(callTools(add('One'), add('Two')), say('Done.'));
  expect(shown()).toEqual(['nothing', 'Nothing to undo yet']);
  expect([grip.undo(), grip.redo(), grip.stop()]).toEqual([false, false, false]);
  await session.send('Add two cards');
  expect(shown()).toEqual(['held', '2 changes Add two cards', 'Undo']);
  expect(grip.undo()).toBe(true);
  await vi.waitFor(() => expect(shown()).toEqual(['undone', 'Taken back Add two cards', 'Redo']));
  expect(grip.redo()).toBe(true);
  await vi.waitFor(() => expect(shown()[0]).toBe('held'));
});

test('the grip says if a turn cannot be undone, and counts only changes that Undo reverts', async () => {
  const publish = { tool: 'board.publish_board', args: { audience: 'team' } };
  const { session, shown } = gripOf(
    callTools(publish),
    say('Done.'),
    callTools(add('One'), publish),
    say('Done.'),
  );
  await session.send('Publish');
  expect(shown()).toEqual(['nothing', '“Published the board for the team, €0.24” cannot be taken back']);
  await session.send('Add and publish');
  expect(shown()).toEqual(['held', '1 change Add and publish', 'Undo']);
});

test('an edit of the user after the turn is undone first', async () => {
  const { session, board, editor, grip, shown } = gripOf(callTools(add('One')), say('Done.'));
  await session.send('Add a card');
  editor.add('todo', 'Mine');
  expect(shown()).toEqual(['held', 'Your change Added “Mine”', 'Undo']);
  grip.undo();
  expect(board.find('Mine')).toBeUndefined();
  expect(board.find('One')).toBeDefined();
  expect(shown()).toEqual(['undone', 'Taken back Added “Mine”', 'Redo']);
  grip.redo();
  expect(board.find('Mine')).toBeDefined();
});

test('under review the grip keeps or undoes all changes, and the Stop key does nothing', async () => {
  const { session, board, grip, shown } = gripOf(callTools(add('One'), add('Two')), say('Done.'));
  const turn = session.send('Add two cards', { commit: 'review' });
  await vi.waitFor(() => expect(shown()).toEqual(['review', '2 to review', 'Take all back', 'Keep all']));
  expect(grip.stop()).toBe(false);
  grip.shown.value.actions[0]!.run();
  await turn;
  expect(board.find('One')).toBeUndefined();
  expect(shown()).toEqual(['nothing', 'Nothing to undo yet']);
});

test('under review, a single change is kept or undone, without the word “all”', async () => {
  const { session, grip, shown } = gripOf(callTools(add('One'), add('Two')), say('Done.'));
  const turn = session.send('Add two cards', { commit: 'review' });
  await vi.waitFor(() => expect(shown()[1]).toBe('2 to review'));
  await session.accept([session.pendingReview.value!.effects[0]!.toolCallId]);
  expect(shown()).toEqual(['review', '1 to review', 'Take back', 'Keep']);
  grip.shown.value.actions[1]!.run();
  await turn;
});

test('a stopped turn says what was undone, and can be tried again', async () => {
  const { session, grip, shown } = gripOf(stall());
  const turn = session.send('Wait').catch(() => {});
  await vi.waitFor(() => expect(shown()).toEqual(['working', 'Thinking…', 'Stop']));
  expect(grip.stop()).toBe(true);
  await turn;
  expect(shown()).toEqual(['stopped', 'Stopped', 'Try again']);
});

test('audit-AD-15 after a failure with a short wait another attempt is offered, but not after a daily quota', async () => {
  const quota = (afterMs: number) => fail(new AgentSessionError('quota', 'Used up.', { retry: { afterMs } }));
  const { session, shown } = gripOf(quota(86_400_000), ...Array<number>(4).fill(1).map(quota));
  await session.send('Go').catch(() => {});
  expect(shown()).toEqual(['failed', 'Used up.']);
  await session.send('Go').catch(() => {});
  expect(shown()).toEqual(['failed', 'Used up.', 'Try again']);
});

test('audit-AD-6 while a request is retried, the grip says which attempt comes next', async () => {
  const busy = fail(new AgentSessionError('rate-limit', 'Busy.', { retry: { afterMs: 5_000 } }));
  const { session, shown, grip } = gripOf(busy);
  const turn = session.send('Go').catch(() => {});
  await vi.waitFor(() => expect(shown()).toEqual(['working', 'Attempt 2 of 4', 'Stop']));
  grip.stop();
  await turn;
});

test('audit-V8 questions that timed out can be asked again, with words that the rules understand', async () => {
  const remove = (card: string) => ({ tool: 'board.delete_card', args: { card } });
  const { session, shown, grip } = gripThat(
    (board) => ({ guards: createBoardGuards(board), limits: { confirmationTimeoutMs: 30 } }),
    [callTools(add('One'), remove('Draw the logo')), say('Nothing was deleted.'), stall()],
  );
  await session.send('Tidy up');
  expect(shown()).toEqual(['unanswered', 'No answer in time Delete “Draw the logo”', 'Undo', 'Ask again']);
  grip.shown.value.actions[1]!.run();
  await vi.waitFor(() => expect(session.liveTurn.value).not.toBeNull());
  const text = textOf(session.liveTurn.value!.input);
  expect(text).toBe('Ask me again: Delete “Draw the logo”');
  expect(readCommands(`${text}; Publish the board for the team`)).toEqual([
    { type: 'delete', cards: { by: 'title', titles: ['Draw the logo'] } },
    { type: 'publish', audience: 'team' },
  ]);
  await session.cancel();
});
