import { expect, test } from '../fixture.js';

test('a whole turn is undone as one, and done again', async ({ demo }) => {
  await demo.open();
  const before = await demo.titles('Todo');
  await demo.ask('Plan a product launch');
  const after = await demo.titles('Todo');

  await demo.button('Undo turn').click();
  await expect(demo.status).toHaveText('Undone');
  await expect(demo.cards('Todo')).toHaveText(before);
  await expect(demo.tool('board.add_card').first()).toContainText('Taken back');
  await expect(demo.receipt).toContainText('Undone');
  await expect(demo.button('Undo turn')).toBeDisabled();

  await demo.button('Redo turn').click();
  await expect(demo.status).toHaveText('Done again');
  await expect(demo.cards('Todo')).toHaveText(after);
  await expect(demo.button('Redo turn')).toBeDisabled();
});

test('turns are undone one by one, the newest first', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.ask('Add a card "First" to Todo');
  await demo.ask('Add a card "Second" to Todo');
  await demo.button('Undo turn').click();
  await expect(demo.card('Second')).toHaveCount(0);
  await expect(demo.card('First')).toBeVisible();
  await demo.button('Undo turn').click();
  await expect(demo.card('First')).toHaveCount(0);
});

test(
  'after an edit of the user, undo asks first and then leaves the edit alone',
  { tag: '@one-view' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask('Add cards "Keep me" and "Take me back" to Todo');
    await demo.rename('Keep me', 'Kept');
    await demo.button('Undo turn').click();
    await expect(page.getByRole('alert')).toContainText('You changed the board since.');
    await expect(demo.card('Take me back')).toBeVisible();

    await demo.button('Undo anyway').click();
    await expect(demo.card('Take me back')).toHaveCount(0);
    await expect(demo.card('Kept')).toBeVisible();
    await expect(demo.receipt).toContainText('Undone in part');
    await expect(demo.receipt.locator('[data-kind="in-effect"]')).toContainText('Added “Keep me” to Todo');
  },
);

test(
  'a call on a card that the user changed meanwhile ends in a conflict',
  { tag: '@one-view' },
  async ({ demo }) => {
    await demo.open('pace=fast&work=slow');
    await demo.say('Move "Decide on pricing" to Done');
    await expect(demo.ghosts()).toHaveAttribute('data-ghost', 'executing');
    // By pointer: quick enough for a tool that runs a third of a second.
    await demo
      .card('Decide on pricing')
      .getByRole('button', { name: 'Decide on pricing', exact: true })
      .press('Alt+ArrowUp');
    await demo.idle();
    await expect(demo.tool('board.move_card')).toContainText('Conflict');
    await expect(demo.cards('Todo').first()).toHaveText('Decide on pricing');
    await expect(demo.conversation).toContainText('You changed “Decide on pricing” while I was at it');
  },
);
