import { describe, expect, test } from 'vitest';
import type { Command } from './command.js';
import { readCommands } from './read-commands.js';

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
  ['move it to to do', { type: 'move', cards: { by: 'selection', isReference: true }, column: 'Todo' }],
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
  [
    'Mark "Ship as due" as due 2027-01-05',
    { type: 'detail', cards: { by: 'title', titles: ['Ship as due'] }, details: { due: '2027-01-05' } },
  ],
  [
    'Mark Ship as due 2027-01-05',
    { type: 'detail', cards: { by: 'words', words: 'Ship', column: null }, details: { due: '2027-01-05' } },
  ],
  ['Clear Done', { type: 'clear', column: 'Done' }],
  ['delete all cards in the Done column', { type: 'clear', column: 'Done' }],
  ['What is on the board?', { type: 'list' }],
  ['Show the board as a table', { type: 'table', column: null }],
  ['What is in Done, as a table?', { type: 'table', column: 'Done' }],
  ['Add a card "As a table"', { type: 'add', titles: ['As a table'], column: 'Todo' }],
  ['Publish the board for everyone', { type: 'publish', audience: 'everyone' }],
  ['Plan a product launch', { type: 'plan', goal: 'the product launch' }],
  ['Plan my week', { type: 'topic', topic: 'the week' }],
  ['Plan the launch week', { type: 'week' }],
  ['Tidy up Done', { type: 'tidy', column: 'Done' }],
  ['Why?', { type: 'why' }],
  ['why did you do that?', { type: 'why' }],
  ['undo that', { type: 'typed' }],
  ['hello', { type: 'talk', about: 'hello' }],
  ['What can you do?', { type: 'talk', about: 'help' }],
  ['sing a song', { type: 'talk', about: 'unknown' }],
];

const byTitle = (...titles: readonly string[]) => ({ by: 'title', titles }) as const;

const joined: readonly (readonly [text: string, ...commands: readonly Command[]])[] = [
  [
    'Add three cards and move "X" to Done',
    { type: 'invent', count: 3, topic: null, column: 'Todo' },
    { type: 'move', cards: byTitle('X'), column: 'Done' },
  ],
  [
    'add 2 cards about onboarding, and move Draw the logo to Done.',
    { type: 'invent', count: 2, topic: 'onboarding', column: 'Todo' },
    { type: 'move', cards: { by: 'words', words: 'Draw the logo', column: null }, column: 'Done' },
  ],
  [
    'Rename "A" to "B". Delete "C", please.',
    { type: 'rename', cards: byTitle('A'), title: 'B' },
    { type: 'delete', cards: byTitle('C') },
  ],
  [
    'Add "A" to Todo and "B" to Done',
    { type: 'add', titles: ['A'], column: 'Todo' },
    { type: 'add', titles: ['B'], column: 'Done' },
  ],
  [
    'Add a card "Tea", rename it to "Coffee" and move it to Done',
    { type: 'add', titles: ['Tea'], column: 'Todo' },
    { type: 'rename', cards: byTitle('Tea'), title: 'Coffee' },
    { type: 'move', cards: byTitle('Coffee'), column: 'Done' },
  ],
  [
    'Tidy up Done, please, and publish the board for everyone',
    { type: 'tidy', column: 'Done' },
    { type: 'publish', audience: 'everyone' },
  ],
];

const single: readonly (readonly [text: string, command: Command])[] = [
  ['Add "A", "B" and "C" to doing', { type: 'add', titles: ['A', 'B', 'C'], column: 'Doing' }],
  ['Add a card "A" and a card "B" to Done', { type: 'add', titles: ['A', 'B'], column: 'Done' }],
  [
    'Add "Wash and dry, then clear Done"',
    { type: 'add', titles: ['Wash and dry, then clear Done'], column: 'Todo' },
  ],
  [
    'Add 3 cards about sales and marketing to Todo',
    { type: 'invent', count: 3, topic: 'sales and marketing', column: 'Todo' },
  ],
  ['Add Buy milk and make tea', { type: 'add', titles: ['Buy milk and make tea'], column: 'Todo' }],
  ['Move "A" and "B" to Done', { type: 'move', cards: byTitle('A', 'B'), column: 'Done' }],
  ['Add 2 cards, please', { type: 'invent', count: 2, topic: null, column: 'Todo' }],
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

  test.each(joined.map(([text, ...commands]) => ({ text, commands })))(
    'reads both commands in: $text',
    ({ text, commands }) => {
      expect(readCommands(text)).toEqual(commands);
    },
  );

  test.each(single)('reads one command in: %s', (text, command) => {
    expect(readCommands(text)).toEqual([command]);
  });

  test('a part of a message that no rule fits is named, and the other part is understood', () => {
    const unread = (text: string) => ({ type: 'unread', text });
    expect(readCommands('Add three cards and sing a song')).toEqual([
      { type: 'invent', count: 3, topic: null, column: 'Todo' },
      unread('sing a song'),
    ]);
    expect(readCommands('Sing a song, then clear Done, and dance!')).toEqual([
      unread('Sing a song'),
      { type: 'clear', column: 'Done' },
      unread('dance'),
    ]);
    expect(readCommands('Delete "A", but keep "B"')).toEqual([
      { type: 'delete', cards: { by: 'title', titles: ['A'] } },
      unread('but keep "B"'),
    ]);
    expect(readCommands('Add 2 cards to Done and undo that')[1]).toEqual(unread('undo that'));
    expect(readCommands('sing a song and dance')).toEqual([{ type: 'talk', about: 'unknown' }]);
  });
});

test.each([
  ['Get the board ready', [{ type: 'ready', audience: null }]],
  ['Get the board ready and publish it', [{ type: 'ready', audience: 'team' }]],
  ['Make it ready, then publish it for everyone', [{ type: 'ready', audience: 'everyone' }]],
  ['Plan the month', [{ type: 'month' }]],
])('reads “%s” as one command', (text, commands) => {
  expect(readCommands(text)).toEqual(commands);
});
