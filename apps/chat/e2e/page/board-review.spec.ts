import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test, type Demo } from '../fixture.js';

/** Makes the agent change the board under review, by the option of the chat's send button. */
async function review(demo: Demo, text: string): Promise<void> {
  await demo.page.evaluate((input) => {
    const session = window.__banister.chat.session.peek();
    void session.send(input, { commit: 'review' });
  }, text);
  await demo.phase('reviewing');
}

async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map((one) => one.finished)));
  const axe = new AxeBuilder({ page }).include('.board').setLegacyMode();
  const { violations } = await (rules ? axe.withRules(rules) : axe).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
}

test.beforeEach(({ demo }) => demo.open());

test('each changed card says what changed and has two buttons, named by its change', async ({
  demo,
  page,
}) => {
  await review(demo, 'Plan a product launch');
  const pricing = demo.card('Decide on pricing before the launch');
  await expect(pricing).toContainText('Renamed');
  await expect(pricing).toHaveAttribute('data-state', 'staged');
  // The card was added and then moved: two changes of one card, each with its own buttons.
  const announcement = demo.card('Write the announcement');
  await expect(announcement).toContainText('Added');
  await expect(announcement).toContainText('Moved from Todo');
  await expect(announcement).toContainText('Goes with it: Moved “Write the announcement” to Doing');
  await expectAccessible(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, ['color-contrast']);

  await demo.button('Take back: Renamed “Decide on pricing before the launch”').click();
  await expect(demo.card('Decide on pricing')).toContainText('Name is back');
  await demo.button('Take back: Added “Write the announcement”').click();
  await expect(announcement).toHaveCount(0);
  await demo.button('Keep: Added “Walk through the checklist”').click();
  await expect(demo.card('Walk through the checklist')).not.toHaveAttribute('data-state', 'staged');
  await demo.button('Keep: Added “Watch the dashboards on the day”').click();
  await demo.idle();
  await expect(demo.cards('Todo')).toHaveCount(5);
});

test(
  'a deleted card is struck through at its old place until the deletion is kept or undone',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.ask('Add cards "One", "Two" and "Three" to Doing');
    await page.evaluate(() => {
      const session = window.__banister.chat.session.peek();
      session.pendingConfirmations.subscribe((open) => {
        for (const confirmation of open) void confirmation.approve();
      });
    });
    await review(demo, 'Delete "Two"');
    const column = demo.board.getByRole('list', { name: 'Doing', exact: true });
    await expect(column.locator('s')).toHaveText('Two');
    await expect(column.locator('.card-title')).toHaveText([
      'Rewrite the onboarding mail',
      'Fix search on mobile',
      'One',
      'Two',
      'Three',
    ]);
    await expect(demo.cards('Doing')).toHaveCount(4);
    await expectAccessible(page);
    await demo.button('Take back: Deleted “Two”').click();
    await demo.idle();
    await expect(demo.cards('Doing')).toHaveCount(5);
    await expect(column.locator('s')).toHaveCount(0);
  },
);

test(
  'with the keyboard, a decision focuses the next card under review',
  { tag: '@full' },
  async ({ demo, page }) => {
    await review(demo, 'Add cards "One" and "Two" to Doing');
    await demo.button('Keep: Added “One”').press('Enter');
    await expect(demo.button('Keep: Added “Two”')).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await expect(demo.button('Take back: Added “Two”')).toBeFocused();
    await page.keyboard.press('Enter');
    await demo.idle();
    await expect(demo.card('Two')).toHaveCount(0);
    await expect(demo.card('One')).toBeVisible();
    await expect(demo.board.locator('.card-title:focus')).toHaveCount(1);
  },
);

test('a change stays open with the reason if an edit of the user is in its way', async ({ demo, page }) => {
  await review(demo, 'Rename "Draw the logo" to "Logo"');
  await demo.rename('Logo', 'My logo');
  await demo.button('Take back: Renamed “Logo”').click();
  await expect(demo.card('My logo')).toContainText('“My logo” was changed since, and stays as it is.');
  await expectAccessible(page);
  await demo.button('Keep: Renamed “Logo”').click();
  await demo.idle();
  await expect(demo.card('My logo')).toBeVisible();
});
