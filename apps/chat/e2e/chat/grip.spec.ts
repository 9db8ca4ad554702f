import { expectAccessible } from '../accessible.js';
import { expect, test } from '../fixture.js';

test('the grip says what is going on, and offers the fitting action', async ({ demo }) => {
  await demo.open('pace=fast&work=slow');
  await expect(demo.status).toHaveText('Nothing to undo yet');
  await expect(demo.grip.getByRole('button')).toHaveCount(0);
  await demo.say('Add cards "One" and "Two" to Todo');
  await expect(demo.status).toHaveText('Adding cards… 0 of 2');
  await expect(demo.grip.getByRole('button')).toHaveText([/Stop/]);
  await demo.hurry();
  await demo.idle();
  await expect(demo.status).toHaveText('2 changes Add cards "One" and "Two" to Todo');
  await expect(demo.grip.getByRole('button')).toHaveText([/Undo/]);
  await demo.undo.click();
  await expect(demo.status).toHaveText('Taken back Add cards "One" and "Two" to Todo');
  await expect(demo.grip.getByRole('button')).toHaveText([/Redo/]);
});

test('the menu beside Stop ends the turn and keeps its changes, which can be undone', async ({
  demo,
  page,
}) => {
  await demo.open('pace=fast&work=slow');
  await demo.say('Add cards "One", "Two", "Three" and "Four" to Todo');
  await expect(demo.card('One')).toBeVisible();
  const menu = demo.grip.locator('summary');
  const keep = demo.button('Stop and keep what is done');
  await menu.press('Enter');
  await keep.press('Enter');
  await demo.idle();
  await expect(demo.card('One')).toBeVisible();
  await expect(demo.card('Four')).toHaveCount(0);
  await expect(demo.receipt.getByRole('heading', { level: 3 })).toHaveText('You stopped this turn');
  await expect(demo.receipt.locator('[data-kind="in-effect"]')).toContainText('Added “One” to Todo');
  await demo.undo.click();
  await expect(demo.card('One')).toHaveCount(0);

  // A check of the page takes longer than the tools of a turn, so the turn stalls. Escape closes the menu,
  // and does not stop the turn.
  await demo.open('pace=fast&fault=stall');
  await demo.say('Plan a product launch');
  await menu.press('Enter');
  await expect(keep).toBeVisible();
  await expectAccessible(page);
  await keep.press('Escape');
  await expect(keep).toBeHidden();
  await expect(menu).toBeFocused();
  await expect(demo.stop).toBeVisible();
});

test('Undo reverts the newest change, by the agent or by the user', async ({ demo }) => {
  await demo.open();
  await demo.ask('Add a card "Tea" to Todo');
  await demo.rename('Draw the logo', 'Draw two logos');
  await expect(demo.status).toHaveText('Your change Renamed “Draw the logo” to “Draw two logos”');
  await demo.undo.click();
  await expect(demo.card('Draw the logo')).toBeVisible();
  await expect(demo.card('Tea')).toBeVisible();
  await expect(demo.status).toHaveText('Taken back Renamed “Draw the logo” to “Draw two logos”');
  await demo.redo.click();
  await expect(demo.card('Draw two logos')).toBeVisible();
});

test(
  'while the agent waits, stops or is interrupted, the grip says so and offers the next step',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&work=slow');
    await demo.say('Delete "Draw the logo"');
    await expect(demo.grip).toHaveAttribute('data-kind', 'waiting');
    await expect(demo.grip).toContainText('left, then no');
    await demo.approval().click();
    await demo.phase('executing');
    await demo.stop.click();
    await expect(demo.status).toHaveText('Stopping… one step still runs');
    await expect(demo.button('Stop now')).toBeVisible();
    await demo.idle();
    await expect(demo.grip).toHaveAttribute('data-kind', 'stopped');
    await expect(demo.button('Try again')).toBeVisible();
  },
);
