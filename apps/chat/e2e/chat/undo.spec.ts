import { expectAccessible } from '../accessible.js';
import { expect, test } from '../fixture.js';

test('a whole turn is undone at once, and redone', async ({ demo }) => {
  await demo.open();
  const before = await demo.titles('Todo');
  await demo.ask('Plan a product launch');
  const after = await demo.titles('Todo');

  await demo.undo.click();
  await expect(demo.status).toHaveText('Taken back Plan a product launch');
  await expect(demo.cardTitles('Todo')).toHaveText(before);
  await demo.openGroups();
  await expect(demo.tool('board.add_card').first()).toContainText('Undone');
  await expect(demo.receipt.getByRole('heading', { level: 3 })).toHaveText('5 of 5 changes taken back');
  await expect(demo.undo).toHaveCount(0);

  await demo.redo.click();
  await expect(demo.status).toHaveText('5 changes Plan a product launch');
  await expect(demo.receipt.getByRole('heading', { level: 3 })).toHaveText('5 of 5 changes done again');
  await expect(demo.cardTitles('Todo')).toHaveText(after);
  await expect(demo.redo).toHaveCount(0);
});

test('turns are undone one by one, newest first', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.ask('Add a card "First" to Todo');
  await demo.ask('Add a card "Second" to Todo');
  await demo.undo.click();
  await expect(demo.card('Second')).toHaveCount(0);
  await expect(demo.card('First')).toBeVisible();
  await demo.turns.first().getByRole('button', { name: 'Undo this turn' }).press('Enter');
  await expect(demo.card('First')).toHaveCount(0);
});

test('an undo keeps an edit of the user, without a question', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.ask('Add cards "Keep me" and "Take me back" to Todo');
  await demo.rename('Keep me', 'Kept');
  await demo.turns.first().getByRole('button', { name: 'Undo this turn' }).press('Enter');
  await expect(demo.card('Take me back')).toHaveCount(0);
  await expect(demo.card('Kept')).toBeVisible();
  await expect(demo.receipt.getByRole('heading', { level: 3 })).toHaveText('1 of 2 changes taken back');
  await expect(demo.receipt.locator('[data-kind="in-effect"]')).toContainText(['Added “Keep me” to Todo']);
  await expect(demo.receipt).toContainText('“Kept” was changed since, and stays as it is.');
});

test(
  'a receipt ends with the cards that the user edited and that the undo did not change',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask('Add cards "Keep me" and "Take me back" to Todo');
    await demo.rename('Keep me', 'Kept');
    await demo.rename('Draw the logo', 'Draw two logos');
    await demo
      .card('Fix search on mobile')
      .getByRole('button', { name: 'Fix search on mobile', exact: true })
      .press('Alt+ArrowRight');
    await demo.turns.first().getByRole('button', { name: 'Undo this turn' }).press('Enter');
    const { receipt } = demo;
    await expect(receipt.getByRole('heading', { level: 3 })).toHaveText('1 of 2 changes taken back');
    await expect(receipt.getByRole('heading', { level: 4 })).toHaveText(['Stays', 'Yours, not touched']);
    // audit-V13: the step of the undone change says that it is undone; the receipt has the step on demand.
    await demo.toggleReceipt();
    await expect(receipt.getByRole('heading', { level: 4 })).toHaveText([
      'Stays',
      'Yours, not touched',
      'Taken back',
    ]);
    // The receipt names the card that is the reason why a change stays.
    await expect(receipt.locator('[data-kind="yours"]').getByRole('listitem')).toHaveText([
      '“Draw two logos”, which you renamed',
      '“Fix search on mobile”, which you moved',
    ]);
    await expectAccessible(page);
    await expect(receipt.getByRole('button', { name: '“Draw two logos”, which you renamed' })).toBeVisible();
  },
);

test(
  'a call on a card that the user changed meanwhile ends in a conflict',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&work=slow');
    await demo.say('Move "Decide on pricing" to Done');
    await expect(demo.ghosts()).toHaveAttribute('data-ghost', 'executing');
    // With the pointer, which is fast enough for a tool that runs a third of a second.
    await demo
      .card('Decide on pricing')
      .getByRole('button', { name: 'Decide on pricing', exact: true })
      .press('Alt+ArrowUp');
    await demo.idle();
    await expect(demo.tool('board.move_card')).toContainText('Conflict');
    await expect(demo.cardTitles('Todo').first()).toHaveText('Decide on pricing');
    await expect(demo.conversation).toContainText('You changed “Decide on pricing” while I was at it');
  },
);

test('C12: an older turn is undone alone, and the newer turn stays', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.ask('Add a card "First" to Todo');
  await demo.ask('Add a card "Second" to Todo');
  const older = demo.turns.first();
  await older.hover();
  await older.getByRole('button', { name: 'Undo this turn' }).click();
  await expect(demo.card('First')).toHaveCount(0);
  await expect(demo.card('Second')).toBeVisible();
  await expect(older).toContainText('Undone');
  await expect(older.getByRole('button', { name: 'Undo this turn' })).toHaveCount(0);
  await expect(demo.message).toBeFocused();
  await demo.redo.click();
  await expect(demo.card('First')).toBeVisible();
});

test(
  'C12: a turn whose card was changed later is undone together with the later turn, if the user agrees',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('Add a card "First" to Todo');
    await demo.ask('Rename "First" to "Last"');
    await expect(demo.card('Last')).toBeVisible();
    await demo.turns.first().getByRole('button', { name: 'Undo this turn' }).press('Enter');
    await expect(demo.status).toHaveText('“Rename "First" to "Last"” came later and is in the way');
    await expect(demo.card('Last')).toBeVisible();
    await demo.button('Undo both').click();
    await expect(demo.card('Last')).toHaveCount(0);
    await expect(demo.card('First')).toHaveCount(0);
    await expect(demo.grip).not.toHaveAttribute('data-kind', 'in-the-way');
  },
);
