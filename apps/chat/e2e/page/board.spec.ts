import { expect, test } from '../fixture.js';
import { expectRightToLeft } from '../text-direction.js';

test.beforeEach(({ demo }) => demo.open());

test('the user adds, renames, moves and deletes by pointer, and undoes it all', async ({ demo, page }) => {
  await demo.button('Add a card to Doing').click();
  await demo.board.getByRole('textbox', { name: 'New card in Doing' }).fill('By hand');
  await page.keyboard.press('Enter');
  await expect(demo.cardTitles('Doing').last()).toHaveText('By hand');
  await page.keyboard.press('Escape');

  await demo.card('By hand').getByRole('button', { name: 'By hand', exact: true }).dblclick();
  await demo.board.getByRole('textbox', { name: 'Title of By hand' }).fill('By my hand');
  await page.keyboard.press('Enter');
  await expect(demo.card('By my hand')).toBeVisible();

  await demo.card('By my hand').dragTo(demo.card('Choose a name'), { targetPosition: { x: 40, y: 4 } });
  await expect(demo.cardTitles('Done').first()).toHaveText('By my hand');

  // Waits until the cards have stopped, because the pointer over a card shows its menu.
  await demo.card('Fix search on mobile').hover();
  await demo.button('Actions for Fix search on mobile').click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(demo.card('Fix search on mobile')).toHaveCount(0);

  await demo.board.getByRole('button', { name: 'Choose a name', exact: true }).focus();
  for (let edits = 0; edits < 4; edits++) await page.keyboard.press('Control+z');
  await expect(demo.cardTitles('Doing')).toHaveText(['Rewrite the onboarding mail', 'Fix search on mobile']);
  await expect(demo.cards('Done')).toHaveCount(3);
  await page.keyboard.press('Control+Shift+Z');
  await expect(demo.cardTitles('Doing').last()).toHaveText('By hand');
});

test('the user adds, renames, moves, deletes and undoes by keyboard', async ({ demo, page }) => {
  await demo
    .card('Interview five customers')
    .getByRole('button', { name: 'Interview five customers', exact: true })
    .focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Alt+ArrowRight');
  await expect(demo.cardTitles('Doing').nth(1)).toHaveText('Decide on pricing');
  await expect(page.locator(':focus')).toHaveText('Decide on pricing');
  await page.keyboard.press('Alt+ArrowUp');
  await expect(demo.cardTitles('Doing').first()).toHaveText('Decide on pricing');
  await expect(page.locator(':focus')).toHaveText('Decide on pricing');

  await page.keyboard.press('F2');
  await page.keyboard.type('Decide soon');
  await page.keyboard.press('Enter');
  await expect(page.locator(':focus')).toHaveText('Decide soon');
  await page.keyboard.press('Delete');
  await expect(demo.card('Decide soon')).toHaveCount(0);
  await expect(page.locator(':focus')).toHaveText('Rewrite the onboarding mail');
  await page.keyboard.press('Control+z');
  await expect(demo.card('Decide soon')).toBeVisible();
  await page.keyboard.press('Control+Shift+Z');
  await expect(demo.card('Decide soon')).toHaveCount(0);

  await page.keyboard.press('n');
  await page.keyboard.type('From the keyboard');
  await page.keyboard.press('Enter');
  await expect(demo.cardTitles('Doing').last()).toHaveText('From the keyboard');
});

test('audit-V4 the details of a card are edited by keyboard, and undone', async ({ demo, page }) => {
  const card = demo.card('Decide on pricing');
  const title = card.getByRole('button', { name: 'Decide on pricing', exact: true });
  await title.press('e');
  const form = page.getByRole('form', { name: 'Details of Decide on pricing' });
  await expect(form.getByLabel('Owner')).toBeFocused();
  await form.getByLabel('Owner').selectOption('Ben');
  await form.getByLabel('Due date').fill('2031-06-05');
  await form.getByLabel('Days of work').fill('4');
  await form.getByLabel('Days of work').press('Enter');
  await expect(title).toBeFocused();
  await expect(card).toContainText('Thu 5 Jun');
  await expect(card).toContainText('owner Ben');
  await title.press('e');
  await form.getByLabel('Label').selectOption('None');
  await form.getByLabel('Label').press('Escape');
  await expect(form).toHaveCount(0);
  await expect(card).toContainText('Product');
  await title.press('Control+z');
  await expect(card).toContainText('owner Mai');
});

test('the agent knows which card is selected', { tag: '@full' }, async ({ demo }) => {
  await demo.card('Choose a name').getByRole('button', { name: 'Choose a name', exact: true }).click();
  await demo.ask('Move it to Doing');
  await expect(demo.cardTitles('Doing').last()).toHaveText('Choose a name');
});

test('Ctrl+Z undoes a change of the agent before an older edit of the user', async ({ demo, page }) => {
  await demo.rename('Choose a name', 'Choose a good name');
  await demo.ask('Rename "Choose a good name" to "Choose the best name"');
  await demo.board.getByRole('button', { name: 'Choose the best name', exact: true }).press('Control+z');
  await expect(demo.card('Choose a good name')).toBeVisible();
  await demo.board.getByRole('button', { name: 'Choose a good name', exact: true }).focus();
  await page.keyboard.press('Control+z');
  await expect(demo.card('Choose a name')).toBeVisible();
});

test(
  'a card that the user holds stays under the pointer when the agent moves it to another column',
  { tag: '@full' },
  async ({ demo, page }) => {
    const at = async (title: string) => (await demo.card(title).boundingBox())!;
    const start = await at('Decide on pricing');
    await page.mouse.move(start.x + 20, start.y + 10);
    await page.mouse.down();
    await page.mouse.move(start.x + 60, start.y + 80, { steps: 4 });
    await page.evaluate(() => {
      void window.__banister.chat.session.peek().send('Move "Decide on pricing" to Doing');
    });
    await expect(demo.cardTitles('Doing')).toHaveCount(3);
    const done = (await demo.board.locator('[data-column]').nth(2).boundingBox())!;
    await page.mouse.move(done.x + 60, done.y + 60, { steps: 4 });
    const held = await at('Decide on pricing');
    expect(Math.abs(held.x + 20 - (done.x + 60))).toBeLessThan(12);
    expect(Math.abs(held.y + 10 - (done.y + 60))).toBeLessThan(12);
    await page.mouse.up();
    await expect(demo.cardTitles('Done').first()).toHaveText('Decide on pricing');
  },
);

test(
  'a renamed card does not take the focus after the user has moved on',
  { tag: '@full' },
  async ({ demo, page }) => {
    // A late frame, as on a busy machine.
    await page.evaluate(() => {
      const next = window.requestAnimationFrame.bind(window);
      window.requestAnimationFrame = (callback) =>
        next(() => void setTimeout(() => callback(performance.now()), 200));
    });
    await demo.rename('Choose a name', 'Chosen');
    await demo.message.focus();
    // After this time the card would have taken the focus.
    await page.waitForTimeout(600);
    await expect(demo.message).toBeFocused();
  },
);

test('a title on the board is read in the direction of its script', { tag: '@full' }, async ({ demo }) => {
  await demo.rename('Choose a name', 'שלום!');
  const title = demo.cardTitles('Done').first();
  await expect(title).toHaveText('שלום!');
  await expectRightToLeft(title);
});

test(
  'the head of each column stays in sight if a column is longer than the board',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.setViewportSize({ width: 1280, height: 600 });
    await demo.ask('Add eight cards about onboarding to Todo');
    await demo.ask('Add eight cards about invoices to Todo');
    await demo.cards('Todo').last().scrollIntoViewIfNeeded();
    for (const name of ['Todo', 'Doing', 'Done'])
      await expect(demo.board.getByRole('heading', { name })).toBeInViewport({ ratio: 1 });
  },
);

test(
  'a declined deletion leaves no mark on its card while other questions wait',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.say('Delete three cards from Done');
    const card = page.locator('[data-card="card-name"]');
    await expect(card).toHaveAttribute('data-state', 'waiting');
    await demo.refusal(demo.confirmations.first()).click();
    await expect(card).not.toHaveAttribute('data-state');
    await expect(page.locator('[data-card="card-logo"]')).toHaveAttribute('data-state', 'waiting');
  },
);
