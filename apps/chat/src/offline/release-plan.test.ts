// The release in a session with its agents, all of them played by the rules.
import type { ChildTurn } from '@banister/session';
import { childrenOf } from '@banister/session/operations';
import { afterEach, expect, test } from 'vitest';
import { openRelease } from '../release/open-release.fixture.js';

let end = () => Promise.resolve();
afterEach(() => end());

function open() {
  const { session, counts } = openRelease();
  end = () => session.dispose();
  /** Sends a message, and answers the question of the agent that publishes. */
  const ask = async (text: string, isApproved: boolean) => {
    const asked = session.pendingConfirmations.subscribe((all) => {
      for (const { id } of all) void session.respond(id, { approve: isApproved });
    });
    try {
      return (await session.send(text)).text.split('\n\n').at(-1);
    } finally {
      asked();
    }
  };
  return { session, ask, counts };
}

test('three agents prepare a release, and each of them is told apart in the answer', async () => {
  const { session, ask, counts } = open();
  const before = counts();
  expect(await ask('Prepare the release', true)).toBe(
    'Notes made 2 changes. Checks made 4 changes. Launch made 1 change, for good. The rest is one turn: Undo takes it back as one.',
  );
  expect(counts()).toEqual([before[0]! + 2, before[1]! + 4, before[2]]);
  expect(session.turns.peek()[0]!.effects).toHaveLength(7);
  await session.undo();
  expect(counts()).toEqual(before);
});

test('a release whose publication is refused has the cards of the other agents', async () => {
  const { ask } = open();
  expect(await ask('Prepare release 2.0', false)).toBe(
    'Notes made 2 changes. Checks made 4 changes. Launch changed nothing. All of it is one turn: Undo takes it back as one.',
  );
});

test('an agent that the user stops is told apart in the answer', async () => {
  const { session, ask } = open();
  const stopped = session.pendingConfirmations.subscribe(([first]) => {
    if (first?.agent) void session.cancel({ child: first.agent.child });
  });
  expect(await ask('Prepare the release', false)).toContain('You stopped Launch. All of it is one turn');
  stopped();
});

/** Sends messages to the agent that writes the notes, each of them when the condition holds. Returns its answers. */
async function answersTo(...messages: readonly (readonly [(notes: ChildTurn) => boolean, string])[]) {
  const { session, ask } = open();
  const left = [...messages];
  const stop = session.operations$.subscribe(() => {
    const { liveTurn } = session.state;
    const notes = liveTurn && childrenOf(liveTurn).find(({ agent }) => agent === 'notes');
    if (!notes || notes.outcome || !left[0]?.[0](notes)) return;
    void session.steer(left.shift()![1], { child: notes.id });
  });
  await ask('Prepare the release', false);
  stop.unsubscribe();
  expect(left).toEqual([]);
  const notes = childrenOf(session.turns.peek()[0]!).find(({ agent }) => agent === 'notes')!;
  return notes.rounds.map(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join(''),
  );
}

const inRound = (count: number) => (notes: ChildTurn) =>
  notes.rounds.length === count && (notes.rounds.at(-1)?.parts.length ?? 0) > 0;
const shortForCustomers =
  '**Release 1.4**\n\nYour board opens in half the time, and you can take back the whole day.';

test('the agent that writes the notes follows a message that joins before it writes them', async () => {
  const answers = await answersTo([inRound(1), 'Shorter, for customers']);
  expect(answers).toHaveLength(2);
  expect(answers[1]).toContain('Added “Take pictures for the notes”');
  expect(answers[1]!.endsWith(shortForCustomers)).toBe(true);
});

test('it writes the notes again for messages that join after them, and heeds all of these', async () => {
  const answers = await answersTo([inRound(2), 'shorter please'], [inRound(3), 'It is for our customers']);
  expect(answers).toHaveLength(4);
  expect(answers[1]!.split('\n- ')).toHaveLength(4);
  expect(answers[2]).toBe(
    '**Release 1.4**\n\nFaster to open, estimates on cards, and an Undo that survives a reload.',
  );
  expect(answers[3]).toBe(shortForCustomers);
});

test('it says which wishes it knows, and carries out commands for the board', async () => {
  const answers = await answersTo(
    [inRound(1), 'Make it rhyme'],
    [inRound(2), 'Add a card "Thank the customers" to Todo'],
  );
  expect(answers[1]).toContain('I know two wishes about notes, shorter and for customers');
  expect(answers[1]!.split('\n- ')).toHaveLength(4);
  expect(answers.at(-1)).toContain('Added “Thank the customers” to Todo');
});
