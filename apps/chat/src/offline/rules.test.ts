// The rules in a session, with a board and over several turns.
import { createAgentSession } from '@banister/session';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { createFault } from './fault.js';
import { offline } from './offline-provider.js';
import { NO_MODEL } from './small-talk.js';
import { readTypedCommand } from './typed-command.js';

let end = () => Promise.resolve();
afterEach(() => end());

const still = { start: 0, thought: 0, word: 0, fragment: 0 };

function open() {
  const board = new BoardStore(firstBoard);
  const session = createAgentSession({
    provider: offline({ pace: still, fault: createFault(null) }),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
  });
  end = () => session.dispose();
  const titles = (id: string) =>
    board.columns
      .peek()
      .find((one) => one.id === id)!
      .cards.map(({ title }) => title);
  const ask = async (text: string) => (await session.send(text)).text;
  return { session, ask, titles };
}

test('the launch week adds five cards before it lists the board', async () => {
  const { session, ask, titles } = open();
  await ask('Plan the launch week');
  const [first] = session.turns.peek()[0]!.rounds;
  expect(first!.parts.map(({ type }) => type)).toEqual(Array(5).fill('tool-call'));
  expect(titles('todo')).toEqual(expect.arrayContaining(['Brief the support team', 'Send the announcement']));
  expect(titles('doing')).toContain('Freeze the texts on Monday');
});

test('a message with an exception makes no calls on the excluded cards, and says so', async () => {
  const { ask, titles } = open();
  const text = await ask(
    'Plan the launch week, without “Brief the support team” and “Freeze the texts on Monday”',
  );
  expect(titles('todo')).toHaveLength(6);
  expect(titles('doing')).toHaveLength(2);
  expect(text).toContain('I left out “Freeze the texts on Monday” and “Brief the support team”.');
  expect(await ask('Clear Done, without “Draw the logo” and “Nothing”')).toContain(
    'I left out “Draw the logo”.\n\nI had nothing to do with “Nothing”.',
  );
  expect(titles('done')).toEqual(['Draw the logo']);
});

test('an image counts as an image in the gauge, not by its size in bytes', async () => {
  const { session, ask } = open();
  await ask('Hello');
  const before = session.contextPressure.peek()!;
  const image = { mediaType: 'image/png', data: btoa('x'.repeat(42_000)) };
  await session.send({ text: 'What is this?', images: [image] });
  const tokens = (session.contextPressure.peek()! - before) * 24_000;
  expect(tokens).toBeGreaterThan(1_000);
  expect(tokens).toBeLessThan(1_500);
});

test('an exception that excludes everything makes no change', async () => {
  const { session, ask } = open();
  expect(await ask('Delete “Draw the logo”, without “Draw the logo”')).toContain(
    'I left out “Draw the logo”.',
  );
  expect(session.canUndo.peek()).toBe(false);
});

test('tidying up deletes the first three cards of a column, each after a question', async () => {
  const { session, ask, titles } = open();
  await ask('Add a card "Newest" to Done');
  await ask('Tidy up Done');
  const calls = session.turns.peek()[1]!.rounds.flatMap(({ parts }) => parts);
  expect(calls.filter((part) => part.type === 'tool-call' && part.tool === 'board.delete_card')).toHaveLength(
    3,
  );
  expect(titles('done')).toEqual(['Newest']);
});

test('“why?” names the message, its rule, and the cards of the last turn with changes', async () => {
  const { ask } = open();
  expect(await ask('Why?')).toContain('I see no change of mine');
  await ask('Add a card "Tea" to Todo; move "Tea" to Done');
  await ask('What is on the board?');
  const text = await ask('why did you do that?');
  expect(text).toContain('You wrote “Add a card "Tea" to Todo; move "Tea" to Done”.');
  expect(text).toContain('That fits these rules: “add …” adds a card for each title');
  expect(text).toContain('“move … to …” moves each card');
  expect(text).toContain('So: Added “Tea” to Todo. Moved “Tea” to Done.');
  expect(text).not.toContain('list_cards');
});

test('the answer after a review mentions the rejected changes', async () => {
  const { session, ask, titles } = open();
  const reviewing = new Promise<void>((resolve) => {
    session.operations$.subscribe(({ type }) => type === 'reviewOpened' && resolve());
  });
  const turn = session.send('Add cards "Tea" and "Cake" to Todo', { commit: 'review' });
  await reviewing;
  await session.reject();
  await turn;
  expect(titles('todo')).not.toContain('Tea');
  expect(await ask('why?')).toContain('2 earlier changes of mine stay taken back.');
});

test('the rules carry out both commands in a sentence, and name a part that no rule fits', async () => {
  const { ask, titles } = open();
  const text = await ask('Add a card "Tea" to Todo and move it to Done, and sing a song');
  expect(titles('done')).toContain('Tea');
  expect(text).toContain('Moved “Tea” to Done.');
  expect(text).toContain('I did not understand “sing a song”, and left that out.');
});

test('if a message is not understood, the answer says once that there is no model, and what the rules understand', async () => {
  const { ask } = open();
  const first = await ask('Sing a song');
  expect(first).toContain(`and changed nothing. ${NO_MODEL}`);
  expect(await ask('help')).toContain('• Plan the launch week');
  const second = await ask('Dance');
  expect(second).not.toContain(NO_MODEL);
  expect(second).toContain('and changed nothing');
});

test('audit-V1 a question about details is answered with the details of all cards, and says that the rules do not choose', async () => {
  const { ask } = open();
  for (const text of ['what is overdue?', 'who owns the logo card?', 'show me only Mai’s cards']) {
    const answer = await ask(text);
    expect(answer, text).toContain('I cannot choose among cards by their details');
    expect(answer, text).toContain('• “Draw the logo”: Mai, Design, 3 days');
  }
  expect(await ask('what is on the board?')).not.toContain('Mai');
});

test('audit-V1 a request to restore something is answered with what the page can undo', async () => {
  const { ask } = open();
  for (const text of ['put it back', 'bring back what you deleted', 'undo everything', 'restore the board'])
    expect(await ask(text), text).toContain('The page itself understands “undo that”');
  expect(readTypedCommand('oops, undo please')).toEqual({ type: 'undo' });
});

test('audit-V1 small talk gets a small-talk answer', async () => {
  const { ask } = open();
  for (const text of ['ok', 'good job', '👍', 'yes please'])
    expect(await ask(text), text).toContain('You are welcome');
  for (const text of ['are you a real AI?', 'what can I do here', 'how does this work?'])
    expect(await ask(text), text).toContain('• Plan the launch week');
  expect(await ask('what did you just do?')).toContain('I see no change of mine');
});

test('a command of the page that arrives as a message changes nothing, and the answer says so', async () => {
  const { session, ask, titles } = open();
  await ask('Add a card "Tea" to Todo');
  for (const text of ['undo that', 'redo', 'not those', 'without “Tea”']) {
    expect(readTypedCommand(text), text).not.toBeNull();
    expect(await ask(text)).toContain('I cannot take back or repeat a turn, and did nothing');
  }
  expect(titles('todo')).toContain('Tea');
  expect(session.turns.peek()).toHaveLength(5);
});

test('the answer comes first, followed by the fate of earlier changes, in words for the user', async () => {
  const { session, ask } = open();
  await ask('Plan the launch week');
  await session.undo();
  const text = await ask('Add a card "Tea" to Todo');
  expect(text).toMatch(/Added “Tea” to Todo\.\n\n7 earlier changes of mine stay taken back\.$/);
  expect(text).not.toMatch(/I know|effects?|revert/);
});
