import { createAgentSession } from '@banister/session';
import { signal } from '@banister/session/signals';
import { settle } from '@banister/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { createBoardEditor } from '../board/board-editor.js';
import { createBoardGuards } from '../board/board-guards.js';
import { BoardHistory } from '../board/board-history.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { createFault } from '../offline/fault.js';
import { offline } from '../offline/offline-provider.js';
import { createComposer } from '../session/composer.js';
import { createCues } from '../session/cues.js';
import { createTurnUndo } from '../session/turn-undo.js';
import { createGuideLine } from './guide-line.js';
import { createTypedCommands } from './typed-commands.js';

let end = () => Promise.resolve();
afterEach(() => end());

/** A chat over the rules, with the composer into which commands are typed. */
function open(isRules = true) {
  const board = new BoardStore(firstBoard);
  const history = new BoardHistory(board);
  const session = createAgentSession({
    provider: offline({ pace: { start: 0, thought: 0, word: 0, fragment: 0 }, fault: createFault(null) }),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
    guards: createBoardGuards(board),
    history,
  });
  end = () => session.dispose();
  const cues = createCues();
  const guide = createGuideLine(signal(session));
  const turnUndo = createTurnUndo(signal(session), cues);
  const runs: Promise<void>[] = [];
  const typed = createTypedCommands({
    session: signal(session),
    turnUndo: {
      ...turnUndo,
      run(...given) {
        const run = turnUndo.run(...given);
        runs.push(run);
        return run;
      },
    },
    guide,
    say: (message) => composer.say(message),
  });
  const composer = createComposer(signal(session), cues, (message) => isRules && typed.take(message));
  const type = async (text: string) => {
    composer.write(text);
    composer.send();
    expect(composer.text.peek()).toBe('');
    await Promise.all(runs);
    // An undo is followed by a line or a message.
    await settle();
    await vi.waitFor(() => expect(session.isRunning.peek()).toBe(false));
  };
  return {
    session,
    turnUndo,
    type,
    has: (title: string) => board.find(title) !== undefined,
    line: () => guide.shown.peek()?.text ?? null,
    messages: () =>
      session.turns
        .peek()
        .map(({ input: { parts } }) =>
          parts.flatMap((part) => (part.type === 'text' ? part.text : [])).at(-1),
        ),
    rename: (title: string, to: string) =>
      createBoardEditor(board, history).rename(board.find(title)!.card.id, to),
  };
}

test('"Undo that" is a command of the page instead of a message while the rules answer', async () => {
  const { session, type, has, line } = open();
  await type('Add a card "One" to Todo');
  await type('What is on the board?');
  await type('Undo that');
  expect(has('One')).toBe(false);
  expect(line()).toBe(
    'The page took “Add a card "One" to Todo” back. No message was sent: Redo brings it back.',
  );
  expect(session.turns.peek()).toHaveLength(2);
  await type('redo');
  expect(has('One')).toBe(true);
  expect(line()).toBe('The page did “Add a card "One" to Todo” again. No message was sent.');
  expect(session.turns.peek()).toHaveLength(2);
});

test('“undo that” after an irreversible effect says that it cannot be undone', async () => {
  const { session, type, line } = open();
  session.send('Publish the board').catch(() => {});
  await vi.waitFor(() => expect(session.pendingConfirmations.peek()).toHaveLength(1));
  await session.pendingConfirmations.peek()[0]!.approve();
  await vi.waitFor(() => expect(session.isRunning.peek()).toBe(false));
  await type('undo that');
  expect(line()).toBe('“Published the board for the team, €0.24” cannot be taken back.');
});

test('if nothing can be undone or redone, the line says so, until the next turn', async () => {
  const { type, line } = open();
  await type('take it back');
  expect(line()).toBe('There is nothing to undo.');
  await type('redo');
  expect(line()).toBe('There is nothing to redo.');
  await type('not those');
  expect(line()).toBe('There is nothing to undo.');
  await type('without “X”');
  expect(line()).toBe('There are no changes to leave out.');
  await type('hello');
  expect(line()).toBeNull();
});

test('a typed undo keeps an edit of the user, and undoes the rest', async () => {
  const { type, rename, turnUndo, has } = open();
  await type('Add cards "One" and "Two" to Todo');
  rename('One', 'Mine');
  await type('undo');
  expect(turnUndo.question.peek()).toBeNull();
  expect([has('Mine'), has('Two')]).toEqual([true, false]);
});

test('“not those” undoes all changes of the newest turn, “not that one” only if there is a single change', async () => {
  const { type, has, line } = open();
  await type('Add cards "One" and "Two" to Todo');
  await type('not that one');
  expect(has('One') && has('Two')).toBe(true);
  expect(line()).toContain('made 2 changes. Name the one that you do not want: without “its title”.');
  await type('not those');
  expect(has('One') || has('Two')).toBe(false);
  await type('Add a card "Three" to Todo');
  await type('not that one');
  expect(has('Three')).toBe(false);
});

test('“without” undoes the newest turn and sends its message again with the exception', async () => {
  const { type, has, messages } = open();
  await type('Plan the launch week');
  await type('without the announcement');
  expect(messages()).toEqual([
    'Plan the launch week',
    'Plan the launch week, without “Send the announcement”',
  ]);
  expect(has('Send the announcement')).toBe(false);
  expect(has('Brief the support team')).toBe(true);
  await type('not “Brief the support team”');
  expect(messages().at(-1)).toBe(
    'Plan the launch week, without “Send the announcement” and “Brief the support team”',
  );
  expect(has('Send the announcement') || has('Brief the support team')).toBe(false);
  expect(has('Watch the numbers on Friday')).toBe(true);
});

test('audit-V1 “without” matches whole words of a title, not parts of a word', async () => {
  const { type, has, line } = open();
  await type('Add cards "Another one" and "Two" to Todo');
  await type('without other');
  expect(line()).toContain('did nothing with “other”');
  expect(has('Another one')).toBe(true);
});

test('“without” a card that the turn did not touch changes nothing, and says so', async () => {
  const { session, type, has, line } = open();
  await type('Add cards "One" and "Two" to Todo');
  await type('without “Three”');
  expect(line()).toBe('“Add cards "One" and "Two" to Todo” did nothing with “Three”.');
  expect(has('One') && has('Two')).toBe(true);
  expect(session.turns.peek()).toHaveLength(1);
});

test('a model other than the rules gets such texts as messages', async () => {
  const { type, messages, has, line } = open(false);
  await type('Add a card "One" to Todo');
  await type('undo that');
  expect(messages()).toEqual(['Add a card "One" to Todo', 'undo that']);
  expect(has('One')).toBe(true);
  expect(line()).toBeNull();
});
