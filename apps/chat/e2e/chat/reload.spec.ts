import { expect, test } from '../fixture.js';

test(
  'V2: a turn that a reload interrupted shows what ran, what may have run, and what did not, as the board does',
  {
    tag: '@one-view',
  },
  async ({ demo, page }) => {
    await demo.open('pace=fast&work=slow');
    await demo.say('Add cards "One", "Two" and "Three" to Todo');
    await expect(demo.card('One')).toBeVisible();
    await expect(demo.ghosts().first()).toHaveAttribute('data-ghost', 'executing');
    await demo.reload();

    await expect(demo.status).toHaveText('Interrupted');
    await expect(demo.receipt).toContainText('This turn was interrupted');
    const group = (kind: string) => demo.receipt.locator(`[data-kind="${kind}"]`);
    await expect(group('in-effect')).toContainText(/Add(ed)? “One” to Todo/);
    await expect(group('in-effect')).toContainText('It can no longer be undone.');
    await expect(demo.card('One')).toBeVisible();
    await expect(group('unknown')).toContainText('May or may not have happened');
    await expect(group('unknown')).toContainText(/Add “Two” to Todo/);
    await expect(demo.tool('board.add_card').nth(1)).toContainText('Not known if it ran');
    await expect(group('never-ran')).toContainText('Add “Three” to Todo');
    await expect(demo.card('Three')).toHaveCount(0);
    await expect(demo.receipt).not.toContainText('board.');
    await expect(page.locator('.turn-error')).toContainText('The page was left while this turn was running.');
  },
);

test(
  'V2: a question that was open at a reload is a call that never ran',
  { tag: '@one-view' },
  async ({ demo }) => {
    await demo.open();
    await demo.say('Delete "Draw the logo"');
    await expect(demo.confirmations).toHaveCount(1);
    await demo.reload();
    await expect(demo.confirmations).toHaveCount(0);
    await expect(demo.receipt.locator('[data-kind="never-ran"]')).toContainText('Delete “Draw the logo”');
    await expect(demo.card('Draw the logo')).toBeVisible();
  },
);

test('V2: a board that was published is so after a reload', { tag: '@one-view' }, async ({ demo }) => {
  await demo.open();
  await demo.say('Publish the board for everyone');
  await demo.button('Approve').click();
  await demo.idle();
  await expect(demo.board).toContainText('Published for everyone');
  await demo.reload();
  await expect(demo.board).toContainText('Published for everyone');
});

test('V3: after a reload the chat says that earlier changes cannot be undone, and leads to a fresh board', async ({
  demo,
  page,
}) => {
  await demo.open();
  await demo.ask('Add a card "Still here" to Todo');
  await expect(page.getByText('can no longer be undone')).toHaveCount(0);
  await demo.reload();
  await expect(demo.button('Undo turn')).toBeDisabled();
  await expect(
    page.getByText('Changes from before this page was loaded can no longer be undone.'),
  ).toBeVisible();
  await demo.button('Fresh board').click();
  await expect(demo.card('Still here')).toHaveCount(0);
  await expect(page.getByText('can no longer be undone')).toHaveCount(0);
  await expect(demo.message).toBeFocused();
  // It is an edit of the user, and can be undone.
  await demo.button('Undo edit').click();
  await expect(demo.card('Still here')).toBeVisible();
});

test(
  'V3: after New chat the chat says that earlier changes cannot be undone, until a turn can be',
  {
    tag: '@one-view',
  },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask('Add a card "Still here" to Todo');
    await demo.button('New chat').click();
    const notice = page.getByText('Changes from the chat before can no longer be undone.');
    await expect(notice).toBeVisible();
    await demo.ask('Add a card "Newer" to Todo');
    await expect(notice).toHaveCount(0);
    await demo.button('Undo turn').click();
    await demo.button('Redo turn').waitFor();
    await demo.button('New chat').click();
    await demo.button('Fresh board').click();
    await expect(demo.titles('Todo')).resolves.toEqual([
      'Interview five customers',
      'Decide on pricing',
      'Sketch the landing page',
    ]);
    await demo.reload();
    await expect(page.getByText('can no longer be undone')).toHaveCount(0);
  },
);
