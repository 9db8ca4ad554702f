import { expect, test } from 'vitest';
import { columnTitle, cardsOf } from '../board/board.js';
import { firstBoard } from '../board/first-board.js';
import { offersFor } from './offers.js';
import { readCommands } from './read-commands.js';
import { detailSentences } from './detail-sentences.fixture.js';
import { newcomerSentences } from './newcomer-sentences.fixture.js';
import { talkingSentences } from './talking-sentences.fixture.js';
import { visitorSentences } from './visitor-sentences.fixture.js';

const cards = cardsOf(firstBoard).map(({ card: { title }, place }) => ({
  title,
  column: columnTitle(firstBoard, place.column),
}));

test.each([
  ['sing a song', ['Plan the launch week', 'Show the board as a table', 'Tidy up Done']],
  ['delete everything', ['Clear Todo', 'Clear Doing', 'Clear Done']],
  ['move everything to Done', ['Move everything from Todo to Done', 'Move everything from Doing to Done']],
  [
    'move the to Done',
    ['Move everything from Doing to Done', 'Plan the launch week', 'Show the board as a table'],
  ],
  ['delete the customer logo', ['Delete “Interview five customers”', 'Delete “Draw the logo”']],
  ['start the lgoo card', ['Move “Draw the logo” to Doing']],
  [
    'add milk to my shopping list',
    ['Add a card “milk to my shopping list” to Todo', 'Show the board as a table', 'Plan the launch week'],
  ],
  ['don’t delete the logo', ['Show the board as a table', 'Plan the launch week']],
  ['do not assign the logo card to Ana', ['Show the board as a table', 'Plan the launch week']],
  ['who owns the logo card?', []],
  [
    'is the logo nice?',
    ['Show the board as a table', 'Move “Draw the logo” to Doing', 'Plan the launch week'],
  ],
  // An adjective, a word that only looks like a verb, and a word of a title are not verbs.
  ['this board is way too empty', ['Show the board as a table', 'Plan the launch week', 'Tidy up Done']],
  [
    'how long will the landing page take?',
    ['Show the board as a table', 'Move “Sketch the landing page” to Doing', 'Plan the launch week'],
  ],
  [
    'lösche “Draw the logo”',
    ['Move “Draw the logo” to Doing', 'Plan the launch week', 'Show the board as a table'],
  ],
  // No offer deletes more than the text asks for, or adds a card with the text as its title.
  ['delete every card owned by Ana', ['Plan the launch week', 'Show the board as a table', 'Tidy up Done']],
  ['delete the due dates', ['Plan the launch week', 'Show the board as a table', 'Tidy up Done']],
  [
    'remove everything from the logo',
    ['Move “Draw the logo” to Doing', 'Plan the launch week', 'Show the board as a table'],
  ],
  ['remove Ana from the interviews card', ['Unassign the interviews card']],
  [
    'make the logo card red',
    ['Move “Draw the logo” to Doing', 'Plan the launch week', 'Show the board as a table'],
  ],
  [
    'add Ana to logo',
    ['Assign “Draw the logo” to Ana', 'Move “Draw the logo” to Doing', 'Plan the launch week'],
  ],
  [
    'rename "Draw the logo" -> "Draw the mark"',
    ['Rename “Draw the logo” to “Draw the mark”', 'Move “Draw the logo” to Doing', 'Plan the launch week'],
  ],
  ['change the logo card to Ben', ['Assign the logo card to Ben', 'Rename the logo card to “Ben”']],
  ['change the logo card to doing', ['Move the logo card to Doing', 'Rename the logo card to “doing”']],
  [
    'assign Mai and Ben to the search card',
    ['Assign the search card to Mai', 'Assign the search card to Ben'],
  ],
  [
    'add a task for Ben: renew the certificate, due Friday',
    [
      'Add “renew the certificate” to Todo; make it due Friday; assign it to Ben',
      'Add a card “for Ben: renew the certificate, due Friday” to Todo',
    ],
  ],
  ['add a card for Ana in Doing', ['Add a card to Doing; assign it to Ana']],
  ['add 3 cards for Ana', ['Add 3 cards to Todo; assign it to Ana']],
  [
    'label the search card as bug',
    [
      'Label the search card as Design',
      'Label the search card as Engineering',
      'Label the search card as Marketing',
    ],
  ],
  ['Add 12 cards about tea', ['Add 8 cards about tea to Todo']],
  ['add a card "Tea"', []],
  ['hello', []],
])('audit-V1 for “%s” the nearest commands are offered', (text, offers) => {
  expect(offersFor(text, cards)).toEqual(offers);
});

test('audit-V1 if words fit two cards, both cards are offered', () => {
  const two = [...cards, { title: 'Print the logo', column: 'Todo' }];
  expect(offersFor('rename the logo card to Emblem', two)).toEqual([
    'Rename “Draw the logo” to “Emblem”',
    'Rename “Print the logo” to “Emblem”',
  ]);
});

test.each(
  [...detailSentences, ...talkingSentences, ...newcomerSentences].filter(
    ([, change]) => change === undefined,
  ),
)('audit-V1 if “%s” changes nothing, there is an offer to press', (text) => {
  // If no card, or a card that the rules find, is named, the answer says so. The same holds for the answer to
  // a question, and to a command of the page.
  if (!readCommands(text).some(({ type }) => ['detail', 'list', 'why', 'typed'].includes(type)))
    expect(offersFor(text, cards)).not.toEqual([]);
});

test('audit-V1 each offer is a message that the rules understand', () => {
  const offered = [...visitorSentences, ...talkingSentences].flatMap(([text]) => offersFor(text, cards));
  expect(offered.length).toBeGreaterThan(150);
  for (const text of offered) {
    const [command, ...more] = readCommands(text);
    expect(more, text).toEqual([]);
    expect(['talk', 'unread', 'choose', 'typed'], text).not.toContain(command!.type);
    if ('cards' in command!) expect(command.cards.by, text).not.toBe('words');
  }
});
