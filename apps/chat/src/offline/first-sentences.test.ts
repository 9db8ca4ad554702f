// Sentences of visitors in a session with the first board, with the changes that the model requests. A change
// that a sentence does not ask for is worse than a sentence that is not understood.
import { callsOf, createAgentSession, type ToolCallView } from '@banister/session';
import { isJsonObject } from '@banister/provider';
import { afterAll, describe, expect, test } from 'vitest';
import { createBoardDomain } from '../board/board-domain.js';
import { BoardStore } from '../board/board-store.js';
import { firstBoard } from '../board/first-board.js';
import { createFault } from './fault.js';
import { offline } from './offline-provider.js';
import { detailSentences } from './detail-sentences.fixture.js';
import { laterSentences } from './later-sentences.fixture.js';
import { newcomerSentences } from './newcomer-sentences.fixture.js';
import { talkingSentences } from './talking-sentences.fixture.js';
import { visitorSentences } from './visitor-sentences.fixture.js';

const still = { start: 0, thought: 0, word: 0, fragment: 0 };
const ends: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** Returns the changes that the answer to a sentence requests, each as "tool: argument, argument". */
async function changesFor(text: string): Promise<readonly string[]> {
  const board = new BoardStore(firstBoard);
  const session = createAgentSession({
    provider: offline({ pace: still, fault: createFault(null) }),
    domains: [createBoardDomain(board, { change: 0, publish: 0 })],
  });
  ends.push(() => session.dispose());
  await session.send(text);
  return session.turns.peek()[0]!.rounds.flatMap(callsOf).flatMap(changeOf);
}

function changeOf({ tool, arguments: given }: ToolCallView): readonly string[] {
  const name = tool.replace('board.', '').replace(/_\w+$/, '');
  if (name === 'list') return [];
  return [`${name}: ${(isJsonObject(given) ? Object.values(given) : []).join(', ')}`];
}

describe('audit-V1 the changes for the sentence of a visitor', () => {
  test.each([...visitorSentences, ...detailSentences, ...talkingSentences, ...newcomerSentences])(
    '%s',
    async (text, ...changes) => {
      expect(await changesFor(text)).toEqual(changes);
    },
  );
});

describe('audit-V1 a sentence that is not understood changes nothing', () => {
  test.each(laterSentences)('%s', async (text, ...changes) => {
    const made = await changesFor(text);
    // Each of these sentences may also be not understood.
    if (made.length > 0) expect(made).toEqual(changes);
  });
});
