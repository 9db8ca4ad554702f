import { expect, test } from 'vitest';
import { ownMoves } from './own-moves.js';

test('a session records its own moves only if they changed a revision', () => {
  const moved = { board: { from: 1, to: 2 }, same: { from: 3, to: 3 }, gone: { from: 4 }, fresh: { to: 5 } };
  expect(ownMoves(moved)).toEqual([
    { domain: 'board', from: 1, to: 2 },
    { domain: 'fresh', to: 5 },
  ]);
});
