import { expect, test } from '../fixture.js';

test('at the end of a turn changes fold into one row, but reading and publishing have their own rows', async ({
  demo,
}) => {
  await demo.open();
  await demo.ask('Add three cards about coffee to Doing');
  const group = demo.conversation.locator('.step-group');
  await expect(group).toHaveCount(1);
  const row = group.getByRole('button').first();
  await expect(row).toHaveText(/3 changes\s*added to Doing/);
  await expect(demo.tool('board.add_card')).toHaveCount(0);
  await row.click();
  await expect(demo.tool('board.add_card')).toHaveCount(3);
  await expect(demo.tool('board.add_card').first()).toHaveAttribute('data-state', 'done');
  await expect(demo.tool('board.add_card').first()).toContainText('Done, to Doing');

  await demo.say('Publish the board');
  await demo.approval().click();
  await demo.idle();
  await expect(demo.tool('board.publish_board')).toHaveAttribute('data-state', 'done');
  await expect(group).toHaveCount(1);
});

test('an irreversible effect is marked after it ran, with its price', async ({ demo }) => {
  await demo.open();
  await demo.say('Publish the board');
  await demo.approval().click();
  await demo.idle();
  const row = demo.tool('board.publish_board');
  await expect(row).toContainText('Cost €0.24');
  await expect(row).toContainText('Cannot be taken back');
  const why = '“Published the board for the team, €0.24” cannot be taken back';
  await expect(demo.status).toHaveText(why);
  await demo.say('undo that');
  await expect(demo.page.locator('.guide-words')).toContainText(why);
  await demo.reload();
  await expect(row).toContainText('Cannot be taken back');
  await expect(demo.status).toHaveText(why);
});

test('a refused call is not folded', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.say('Delete three cards from Done');
  await expect(demo.confirmations).toHaveCount(3);
  await demo.refusal(demo.confirmations.first()).click();
  await demo.button('Approve all 2').click();
  await demo.idle();
  await expect(demo.tool('board.delete_card')).toHaveAttribute('data-state', 'refused');
  await expect(demo.tool('board.delete_card')).toContainText('You refused');
  await expect(demo.conversation.locator('.step-group')).toContainText('2 changes');
});

test(
  'the rail is green while a turn runs, and afterwards only if something is in effect',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&work=slow');
    const [first, second] = [demo.turns.first(), demo.turns.nth(1)];
    await demo.say('Add a card "Tea" to Todo');
    await expect(first).toHaveAttribute('data-rail', 'live');
    await demo.hurry();
    await demo.idle();
    await expect(first).toHaveAttribute('data-rail', 'held');
    await demo.ask('List the cards');
    await expect(second).toHaveAttribute('data-rail', 'none');
    await expect(demo.tool('board.list_cards')).toHaveAttribute('data-state', 'read');
    await demo.undo.click();
    await expect(first).toHaveAttribute('data-rail', 'undone');
    await expect(demo.tool('board.add_card')).toHaveAttribute('data-state', 'undone');
  },
);

test(
  'a line of the receipt, and an opened step, lead to the card',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.setViewportSize({ width: 800, height: 700 });
    await demo.open();
    await demo.ask('Move "Draw the logo" to Todo');
    await demo.undo.click();
    await demo.idle();
    const card = demo.card('Draw the logo');
    const flashes = () => card.evaluate((element) => element.getAnimations().length);
    await demo.toggleReceipt();
    await demo.receipt.getByRole('button', { name: 'Moved “Draw the logo” to Todo' }).press('Enter');
    await expect(card).toBeInViewport();
    await expect.poll(flashes).toBeGreaterThan(0);
    await demo.tool('board.move_card').getByRole('button').first().press('Enter');
    await demo.button('Show the card').press('Enter');
    await expect(card).toBeInViewport();
  },
);

test(
  'arguments are shown below the call that is being written, and below no other call',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=slow');
    const long = 'all the plants in the meeting room, and those in the hall and on the stairs as well';
    await demo.say(`Add cards "Water ${long}" and "Count ${long}" to Doing`);
    const writing = demo.conversation.locator('.step[data-state="writing"]');
    await expect(writing).toContainText('Count all');
    await expect(writing.locator('.arguments')).toHaveCount(1);
    await expect(demo.conversation.locator('.arguments')).toHaveCount(1);
    await demo.stop.click();
    await demo.idle();
  },
);
