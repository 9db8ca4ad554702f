import { expect, test } from 'vitest';
import { BoardStore } from './board-store.js';
import { firstBoard } from './first-board.js';
import { previewCall, previewedBoard } from './preview-call.js';

const after = (args: Parameters<typeof previewCall>[2]) =>
  previewCall(previewedBoard(new BoardStore(firstBoard)), 'board.publish_board', args)?.after;

test('the preview of a publication names its readers, its day, and the readers of its mail', () => {
  const mail = { send: true, note: 'Come and see' };
  expect(after({ audience: 'team' })).toBe('The team');
  expect(after({ audience: 'everyone', on: '2030-06-10' })).toBe('Everyone, from Mon 10 Jun');
  expect(after({ audience: 'team', on: '2030-06-10', mail })).toBe(
    'The team, from Mon 10 Jun, with a mail to the team',
  );
  expect(after({ audience: 'everyone', mail })).toBe('Everyone, with a mail to everyone');
  expect(after({ audience: 'everyone', mail: { ...mail, send: false } })).toBe('Everyone');
  expect(after({ audience: 'friends', mail })).toBeUndefined();
});
