import { describe, expect, test } from 'vitest';
import { readCommands, type Command } from './command.js';

const understood: readonly (readonly [text: string, command: Command])[] = [
  ['Add a card "Plan" to Todo', { type: 'add', titles: ['Plan'], column: 'Todo' }],
  ['add “A”, “B” and “C” to doing.', { type: 'add', titles: ['A', 'B', 'C'], column: 'Doing' }],
  ['Please add a card called Buy milk', { type: 'add', titles: ['Buy milk'], column: 'Todo' }],
  ['Add 3 cards about onboarding to Todo', { type: 'invent', count: 3, topic: 'onboarding', column: 'Todo' }],
  ['create two tasks in Done', { type: 'invent', count: 2, topic: null, column: 'Done' }],
  ['Move "Plan" to Done', { type: 'move', cards: { by: 'title', titles: ['Plan'] }, column: 'Done' }],
  [
    'Move everything from Doing to Done',
    { type: 'move', cards: { by: 'column', column: 'Doing', count: 'all', from: 'start' }, column: 'Done' },
  ],
  ['move it to to do', { type: 'move', cards: { by: 'selection' }, column: 'Todo' }],
  ['Start "Plan"', { type: 'move', cards: { by: 'title', titles: ['Plan'] }, column: 'Doing' }],
  ['Rename "A" to "B"', { type: 'rename', cards: { by: 'title', titles: ['A'] }, title: 'B' }],
  ['edit this card to Better title', { type: 'rename', cards: { by: 'selection' }, title: 'Better title' }],
  ['Delete "A"', { type: 'delete', cards: { by: 'title', titles: ['A'] } }],
  [
    'Delete three cards from Done',
    { type: 'delete', cards: { by: 'column', column: 'Done', count: 3, from: 'start' } },
  ],
  [
    'delete the last two cards in Todo',
    { type: 'delete', cards: { by: 'column', column: 'Todo', count: 2, from: 'end' } },
  ],
  ['Clear Done', { type: 'clear', column: 'Done' }],
  ['delete all cards in the Done column', { type: 'clear', column: 'Done' }],
  ['What is on the board?', { type: 'list' }],
  ['Show the board as a table', { type: 'table', column: null }],
  ['What is in Done, as a table?', { type: 'table', column: 'Done' }],
  ['Add a card "As a table"', { type: 'add', titles: ['As a table'], column: 'Todo' }],
  ['Publish the board for everyone', { type: 'publish', audience: 'everyone' }],
  ['Plan a product launch', { type: 'plan', goal: 'the product launch' }],
  ['Plan my week', { type: 'plan', goal: 'the week' }],
  ['Plan the launch week', { type: 'week' }],
  ['Tidy up Done', { type: 'tidy', column: 'Done' }],
  ['Why?', { type: 'why' }],
  ['why did you do that?', { type: 'why' }],
  ['undo that', { type: 'typed' }],
  ['hello', { type: 'talk', about: 'hello' }],
  ['What can you do?', { type: 'talk', about: 'help' }],
  ['sing a song', { type: 'talk', about: 'unknown' }],
];

describe('the offline model', () => {
  test.each(understood)('understands: %s', (text, command) => {
    expect(readCommands(text)).toEqual([command]);
  });

  test('takes several commands in a row', () => {
    expect(
      readCommands('Add a card "A; then B" to Todo and then clear Done').map(({ type }) => type),
    ).toEqual(['add', 'clear']);
  });
});
