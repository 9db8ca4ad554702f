// The release in a session with its agents, all of them played by the rules.
import { createAgentSession } from '@banister/session';
import { afterEach, expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { createBoardGuards } from '../board/board-guards.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { releaseAgentIds, releaseAgents } from '../release/release-agents.js';
import { createReleaseDomain } from '../release/release-domain.js';
import { createFault } from './fault.js';
import { offline } from './offline-provider.js';

let end = () => Promise.resolve();
afterEach(() => end());

function open() {
  const board = new BoardStore(firstBoard);
  const session = createAgentSession({
    provider: offline({
      pace: { start: 0, thought: 0, word: 0, fragment: 0 },
      fault: createFault(null),
    }),
    domains: [createBoardDomain(board, { change: 0, publish: 0 }), createReleaseDomain()],
    agents: releaseAgentIds.map((id) => releaseAgents[id].agent),
    guards: createBoardGuards(board),
  });
  end = () => session.dispose();
  const counts = () => board.columns.peek().map(({ cards }) => cards.length);
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
  expect(await ask('Plan the release', true)).toBe(
    'Notes made 2 changes. Checks made 4 changes. Launch made 1 change, for good. The rest is one turn: Undo takes it back as one.',
  );
  expect(counts()).toEqual([before[0]! + 2, before[1]! + 4, before[2]]);
  expect(session.turns.peek()[0]!.effects).toHaveLength(7);
  await session.undo();
  expect(counts()).toEqual(before);
});

test('a release whose publication is refused has the cards of the other agents', async () => {
  const { ask } = open();
  expect(await ask('Plan the release 2.0', false)).toBe(
    'Notes made 2 changes. Checks made 4 changes. Launch changed nothing. All of it is one turn: Undo takes it back as one.',
  );
});

test('an agent that the user stops is told apart in the answer', async () => {
  const { session, ask } = open();
  const stopped = session.pendingConfirmations.subscribe(([first]) => {
    if (first?.agent) void session.cancel({ child: first.agent.child });
  });
  expect(await ask('Plan the release', false)).toContain('You stopped Launch. All of it is one turn');
  stopped();
});
