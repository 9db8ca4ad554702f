import { suggestions } from '../../src/session/suggestions.js';
import { expect, test } from '../fixture.js';

test('while text streams: the part that arrived stays, nothing else', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=slow');
  await demo.say('help');
  await expect(demo.conversation.locator('.answer')).toContainText('No model here');
  await demo.stop.click();
  await demo.idle();
  await expect(demo.status).toHaveText('Stopped');
  await expect(demo.conversation.locator('.answer')).toContainText('No model here');
  await expect(demo.receipt).toContainText('Nothing on the board was changed.');
  await expect(demo.button('Try again')).toBeVisible();
});

test('a suggestion that is stopped, and a retry that is stopped, end like any other turn', async ({
  demo,
}) => {
  await demo.open('pace=slow');
  await demo.button(suggestions[0]!.text).click();
  await demo.phase('streaming');
  await demo.stop.click();
  await demo.idle();
  await demo.button('Try again').click();
  await demo.phase('streaming');
  await demo.stop.click();
  await demo.idle();
  await expect(demo.status).toHaveText('Stopped');
});

test(
  'while arguments arrive: the ghost disappears, and the call never ran',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=slow');
    // Long enough that Stop comes in the middle, even on a slow machine.
    const title = 'Water the plants in the meeting room and in the hall, and the lemon tree, '
      .repeat(3)
      .trim();
    await demo.say(`Add a card "${title}" to Doing`);
    await expect(demo.ghosts()).toContainText('Wat');
    await demo.stop.click();
    await demo.idle();
    await expect(demo.ghosts()).toHaveCount(0);
    await expect(demo.cards('Doing')).toHaveCount(2);
    await expect(demo.receipt).toContainText('Not started');
    await expect(demo.receipt).toContainText('Add “Wat');
  },
);

test('while the user is asked: the question is declined', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.say('Clear Done');
  await demo.phase('confirming');
  await demo.stop.click();
  await demo.idle();
  await expect(demo.confirmations).toHaveCount(0);
  await expect(demo.cards('Done')).toHaveCount(3);
  await expect(demo.receipt).toContainText('Delete all cards in Done');
});

test(
  'while a tool runs: it finishes, later tools do not start, and the board is restored',
  { tag: '@full' },
  async ({ demo }) => {
    const titles = ['One', 'Two', 'Three', 'Four'];
    await demo.open('pace=fast&work=slow');
    const before = await demo.titles('Todo');
    await demo.say(`Add cards ${titles.map((title) => `"${title}"`).join(', ')} to Todo`);
    await expect(demo.card('One')).toBeVisible({ timeout: 60_000 });
    await expect(demo.board.locator('[data-ghost="executing"]')).toBeVisible();
    await demo.stop.click();
    await demo.idle();

    await expect(demo.cardTitles('Todo')).toHaveText(before);
    await expect(demo.receipt).toContainText('You stopped this turn');
    await demo.toggleReceipt();
    const listed = (heading: string) =>
      demo.receipt
        .locator('.effect-group')
        .filter({ hasText: heading })
        .getByRole('listitem')
        .evaluateAll((items) => items.map((item) => /“(.*)”/.exec(item.textContent)?.[1]));
    // Each call has one line: first the calls that ran, newest first, because they were undone in this order;
    // then the others in order.
    const takenBack = await listed('Taken back');
    const neverRan = await listed('Not started');
    expect(takenBack.length).toBeGreaterThanOrEqual(2);
    expect(neverRan.length).toBeGreaterThanOrEqual(1);
    expect([...takenBack.toReversed(), ...neverRan]).toEqual(titles);
    await demo.openGroups();
    await expect(demo.tool('board.add_card').first()).toContainText('Undone');
    await expect(demo.undo).toHaveCount(0);
  },
);

test('Stop now cuts the running tool', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=fast&work=slow');
  await demo.say('Publish the board');
  await demo.approval().click();
  await expect(demo.tool('board.publish_board')).toContainText('of 8');
  await demo.stop.click();
  await demo.button('Stop now').click();
  await demo.idle();
  await expect(demo.tool('board.publish_board')).toContainText('Cut before it did anything');
  await expect(demo.board).not.toContainText('Published');
  await expect(demo.receipt).toContainText('Not started');
});

test('while the model is silent: the turn ends at once', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=fast&fault=stall');
  await demo.say('Add a card "Seen for a moment" to Todo');
  await expect(demo.card('Seen for a moment')).toBeVisible();
  await demo.phase('streaming');
  await demo.stop.click();
  await demo.idle();
  await expect(demo.card('Seen for a moment')).toHaveCount(0);
  await expect(demo.receipt).toContainText('Added “Seen for a moment” to Todo');
});

test(
  'while the model is silent and ignores the abort: the turn still ends at once, and the next turn works',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&fault=deaf');
    await demo.say('Add a card "Seen for a moment" to Todo');
    await expect(demo.card('Seen for a moment')).toBeVisible();
    await demo.phase('streaming');
    await demo.stop.click();
    await demo.idle();
    await expect(demo.card('Seen for a moment')).toHaveCount(0);
    await demo.ask('Add a card "Here to stay" to Todo');
    await expect(demo.card('Here to stay')).toBeVisible();
    await expect(demo.conversation.locator('.answer').last()).toContainText(
      'An earlier change of mine stays taken back.',
    );
  },
);

test('an edit of the user survives Stop', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=fast&fault=stall');
  await demo.say('Add cards "Mine now" and "Still yours" to Todo');
  await expect(demo.card('Still yours')).toBeVisible();
  await demo.phase('streaming');
  await demo.rename('Mine now', 'Mine now, edited');
  await demo.rename('Fix search on mobile', 'Fix search everywhere');
  await demo.stop.click();
  await demo.idle();

  await expect(demo.card('Mine now, edited')).toBeVisible();
  await expect(demo.card('Fix search everywhere')).toBeVisible();
  await expect(demo.card('Still yours')).toHaveCount(0);
  const kept = demo.receipt.locator('.effect-group').filter({ hasText: 'Stays' });
  await expect(kept).toContainText('Added “Mine now” to Todo');
  await expect(kept).toContainText('“Mine now, edited” was changed since, and stays as it is.');
});

test(
  'a turn that was stopped at its questions does not come back with the next message',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.say('Tidy up Done');
    await expect(demo.confirmations).toHaveCount(3);
    await demo.stop.click();
    await demo.ask('Add a card "Tea" to Todo');
    await expect(demo.card('Tea')).toBeVisible();
    await expect(demo.status).toHaveText('1 change Add a card "Tea" to Todo');
  },
);
