import { callTools, say, type AnswerSource } from '@banister/testing';
import type { Operation } from '@banister/session';
import { addCard, createBoard, type Board } from './board.js';
import { fixture, type Fixture, type FixtureOptions } from './fixture.js';

/** The two answers of a turn that adds a card. */
export const adding = (title: string): readonly AnswerSource[] => [
  callTools(addCard(title)),
  say(`Added ${title}.`),
];

/** A board, and a session with one turn for each title, which adds a card. */
export async function withCards(
  titles: readonly string[],
  more: readonly AnswerSource[] = [],
  options: FixtureOptions = {},
): Promise<{ readonly f: Fixture; readonly board: Board }> {
  const board = createBoard();
  const f = fixture([...titles.flatMap(adding), ...more], { domains: [board.domain()], ...options });
  for (const title of titles) await f.session.send(`Add ${title}`);
  return { f, board };
}

/** The operations of branch commands: each step, each move of the head, the start of each turn. */
export const steps = (operations: readonly Operation[]): readonly string[] =>
  operations.flatMap((operation) => {
    switch (operation.type) {
      case 'undoStarted':
      case 'redoStarted':
        return [`${operation.type} ${operation.target}`];
      case 'undone':
      case 'redone':
        return [`${operation.type} ${operation.target} ${operation.branch ?? '-'}`];
      case 'headMoved':
        return [`headMoved ${operation.from} ${operation.to}`];
      case 'turnStarted':
        return [`turnStarted ${operation.turnId} ${operation.parentId}`];
      default:
        return [];
    }
  });

/** The ids of the turns on the path. */
export const path = ({ session }: Fixture): readonly string[] => session.turns.value.map(({ id }) => id);
