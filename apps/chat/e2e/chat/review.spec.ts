import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Demo } from '../fixture.js';

const mode = (demo: Demo) => demo.page.getByRole('combobox', { name: 'Changes' });

/** Sends a message whose changes wait for the user, and waits for the review. */
async function review(demo: Demo, text: string): Promise<void> {
  await mode(demo).selectOption('Review first');
  await demo.say(text);
  await demo.phase('reviewing');
}

const three = 'Add cards "One", "Two" and "Three" to Todo';

test('under "Review first" each change is kept or undone separately', async ({ demo }) => {
  await demo.open();
  await review(demo, three);
  await expect(demo.status).toHaveText('3 to review');
  const rows = demo.tool('board.add_card');
  await expect(rows.first()).toHaveAttribute('data-state', 'staged');
  await expect(rows.first()).toContainText(/Nothing\s*→\s*becomes\s*Todo/);
  await demo.conversation.getByRole('button', { name: 'Take back Two' }).click();
  await expect(demo.card('Two')).toHaveCount(0);
  await expect(demo.status).toHaveText('2 to review');
  await expect(rows.nth(1)).toHaveAttribute('data-state', 'undone');
  await demo.grip.getByRole('button', { name: 'Keep all' }).click();
  await demo.idle();
  await expect(demo.card('One')).toBeVisible();
  await expect(demo.card('Three')).toBeVisible();
  await expect(demo.status).toHaveText(`2 changes ${three}`);
  await demo.undo.click();
  await expect(demo.card('One')).toHaveCount(0);
});

test('all changes are undone at once', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await review(demo, three);
  await demo.grip.getByRole('button', { name: 'Take all back' }).click();
  await demo.idle();
  await expect(demo.card('One')).toHaveCount(0);
  await expect(demo.status).toHaveText('Nothing to undo yet');
});

test('a review continues after a reload', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await review(demo, three);
  await demo.conversation.getByRole('button', { name: 'Take back Two' }).click();
  await expect(demo.status).toHaveText('2 to review');
  await demo.recorded('reviewResolved');
  await demo.reload();
  await expect(demo.status).toHaveText('2 to review');
  await expect(demo.card('Two')).toHaveCount(0);
  await demo.conversation.getByRole('button', { name: 'Keep One' }).click();
  await expect(demo.status).toHaveText('1 to review');
  await demo.conversation.getByRole('button', { name: 'Take back Three' }).click();
  await demo.idle();
  await expect(demo.card('One')).toBeVisible();
  await expect(demo.card('Three')).toHaveCount(0);
  await expect(demo.status).toHaveText(`1 change ${three}`);
});

test(
  'J and K move through the changes, and a decision focuses the next change',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await review(demo, three);
    const keep = (title: string) => demo.conversation.getByRole('button', { name: `Keep ${title}` });
    await demo.conversation.focus();
    await page.keyboard.press('j');
    await expect(keep('One')).toBeFocused();
    await page.keyboard.press('j');
    await expect(keep('Two')).toBeFocused();
    await page.keyboard.press('k');
    await expect(keep('One')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(demo.status).toHaveText('2 to review');
    await expect(keep('Two')).toBeFocused();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await expect(demo.card('Two')).toHaveCount(0);
    await expect(keep('Three')).toBeFocused();
    // Escape does not stop here, because a review ends by decisions.
    await page.keyboard.press('Escape');
    await expect(demo.status).toHaveText('1 to review');
    await page.keyboard.press('Enter');
    await demo.idle();
    await expect(demo.message).toBeFocused();
  },
);

test('a change names the changes that will be undone with it', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await review(demo, 'Plan a product launch');
  const back = demo.conversation.getByRole('button', { name: 'Take back Write the announcement' }).first();
  await expect(back).toHaveAccessibleDescription(
    'Taken back with it: Moved “Write the announcement” to Doing',
  );
  const before = Number.parseInt(await demo.status.innerText());
  await back.click();
  await expect(demo.status).toHaveText(`${before - 2} to review`);
  await expect(demo.card('Write the announcement')).toHaveCount(0);
});

test(
  'a change that the user has edited afterwards stays, with the reason',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await review(demo, three);
    await demo.rename('Two', 'Mine');
    await demo.conversation.getByRole('button', { name: 'Take back Two' }).click();
    await expect(demo.conversation.locator('.review-conflict')).toBeVisible();
    await expect(demo.card('Mine')).toBeVisible();
    await expect(demo.status).toHaveText('3 to review');
  },
);

test('a message that is sent during a review waits in the queue', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await review(demo, three);
  await expect(demo.message).toHaveAttribute('placeholder', 'Say what to change');
  await demo.message.fill('List the cards');
  await demo.message.press('Enter');
  await expect(demo.queue).toHaveCount(1);
  await demo.grip.getByRole('button', { name: 'Keep all' }).click();
  await expect(demo.turns).toHaveCount(2);
  await demo.idle();
});

test(
  'a review has no accessibility violation, in light and in dark',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await review(demo, 'Plan a product launch');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().include('.chat').analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual(
        [],
      );
    }
  },
);
