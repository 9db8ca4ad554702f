import { expect, test, type Demo } from '../fixture.js';

/** Opens a page before the demo, so that the test sees when the demo is left. */
async function openBehind(demo: Demo, query?: string): Promise<void> {
  await demo.page.goto('about:blank');
  await demo.open(query);
}

const depth = (demo: Demo) =>
  demo.page.evaluate(() => (history.state as { layers?: number } | null)?.layers ?? 0);

test('audit-V14 Back closes the list of chats, and then leaves the page', async ({ demo, page }) => {
  await openBehind(demo);
  await demo.button('All chats').click();
  await expect(demo.chatList).toBeVisible();
  await expect.poll(() => depth(demo)).toBe(1);
  await page.goBack();
  await expect(demo.chatList).toHaveCount(0);
  await expect(demo.button('All chats')).toBeFocused();
  // If the list is closed with a button, no history entry is left.
  await demo.button('All chats').click();
  await expect.poll(() => depth(demo)).toBe(1);
  await page.keyboard.press('Escape');
  await expect(demo.chatList).toHaveCount(0);
  await expect.poll(() => depth(demo)).toBe(0);
  await page.goBack();
  expect(page.url()).toBe('about:blank');
});

test('audit-V14 the chat that was chosen in the list is in the address', async ({ demo, page }) => {
  await openBehind(demo);
  await demo.ask('Add a card "Tea" to Todo');
  await demo.button('New chat').click();
  const first = new URL(page.url()).searchParams.get('chat');
  await demo.button('All chats').click();
  await expect.poll(() => depth(demo)).toBe(1);
  await demo.chatList
    .getByRole('button', { name: /^Add a card/ })
    .first()
    .click();
  await expect.poll(() => depth(demo)).toBe(0);
  expect(new URL(page.url()).searchParams.get('chat')).not.toBe(first);
  await demo.reload();
  await expect(demo.turns).toHaveCount(1);
});

test('audit-V14 Back closes How it works above a menu, one after the other, also after a reload', async ({
  demo,
  page,
}) => {
  await openBehind(demo);
  const how = page.getByRole('complementary', { name: 'How it works' });
  await demo.button('How it works').click();
  await expect(how).toBeVisible();
  await demo.button('Actions for Choose a name').click();
  await expect(page.getByRole('menu')).toBeVisible();
  await expect.poll(() => depth(demo)).toBe(2);
  await page.goBack();
  await expect(page.getByRole('menu')).toHaveCount(0);
  await expect(how).toBeVisible();
  await demo.reload();
  await expect(how).toHaveCount(0);
  await expect.poll(() => depth(demo)).toBe(0);
  await demo.button('How it works').click();
  await expect.poll(() => depth(demo)).toBe(1);
  await page.goBack();
  await expect(how).toHaveCount(0);
  await page.goForward();
  await expect.poll(() => depth(demo)).toBe(0);
  await page.goBack();
  expect(page.url()).toBe('about:blank');
});

test('audit-V14 Back closes a menu of the grip, and the turn continues', async ({ demo, page }) => {
  await openBehind(demo, 'pace=fast&fault=stall');
  await demo.say('Plan a product launch');
  await demo.grip.locator('.grip-menu > summary').click();
  const keep = demo.button('Stop and keep what is done');
  await expect(keep).toBeVisible();
  await expect.poll(() => depth(demo)).toBe(1);
  await page.goBack();
  await expect(keep).toBeHidden();
  await expect(demo.stop).toBeVisible();
});

test('audit-V14 on a phone Back makes the sheet smaller', async ({ demo, page }) => {
  await page.setViewportSize({ width: 360, height: 640 });
  await openBehind(demo);
  const sheet = page.locator('.chat-sheet');
  await demo.button('Make the chat taller').click();
  await expect(sheet).toHaveAttribute('data-size', 'full');
  await page.goBack();
  await expect(sheet).toHaveAttribute('data-size', 'half');
  await demo.button('More').click();
  await expect(demo.button('How it works')).toBeVisible();
  await page.goBack();
  await expect(demo.button('How it works')).toBeHidden();
  await expect.poll(() => depth(demo)).toBe(0);
});
