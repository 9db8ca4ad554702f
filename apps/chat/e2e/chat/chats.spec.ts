import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Demo } from '../fixture.js';

const row = (demo: Demo, title: string) => demo.chatRows.filter({ hasText: title });
const tool = (demo: Demo, title: string, name: string) =>
  row(demo, title).getByRole('button', { name, exact: true });

/** Makes two chats: one with a change, and the shown chat without a change. */
async function twoChats(demo: Demo): Promise<void> {
  await demo.open();
  await demo.ask('Add a card "Tea" to Todo');
  await demo.button('New chat').click();
  await demo.ask('List the cards');
}

async function openList(demo: Demo): Promise<void> {
  await demo.button('All chats').click();
  await expect(demo.chatList).toBeVisible();
}

test('a list has all chats, with their first message and state, and switches to another chat', async ({
  demo,
  page,
}) => {
  await twoChats(demo);
  await expect(page.getByRole('heading', { name: 'List the cards' })).toBeVisible();
  await openList(demo);
  await expect(demo.chatRows).toHaveCount(2);
  await expect(row(demo, 'Add a card')).toContainText('1 change in effect');
  await expect(row(demo, 'List the cards')).toContainText('No changes');
  await expect(row(demo, 'List the cards').locator('[aria-current]')).toHaveCount(1);

  await row(demo, 'Add a card').locator('.chat-open').click();
  await expect(demo.chatList).toHaveCount(0);
  await expect(demo.conversation.locator('.user-message')).toHaveText(['Add a card "Tea" to Todo']);
  await expect(demo.message).toBeFocused();
  // The changes of the chat can be undone there, even after a reload.
  await demo.reload();
  await demo.undo.click();
  await expect(demo.card('Tea')).toHaveCount(0);
  await openList(demo);
  await expect(row(demo, 'Add a card')).toContainText('Taken back');
});

test('a chat is found, renamed, deleted, and brought back', async ({ demo, page }) => {
  await twoChats(demo);
  await demo.message.press('Control+k');
  const search = page.getByRole('searchbox', { name: 'Find a chat by its title' });
  await expect(search).toBeFocused();
  await search.fill('nothing like it');
  await expect(demo.chatList.getByRole('status')).toHaveText('No title has that');
  await expect(demo.chatRows).toHaveCount(0);
  await search.fill('tea');
  await expect(demo.chatRows).toHaveCount(1);

  await tool(demo, 'Add a card', 'Rename').click();
  const title = page.getByRole('textbox', { name: 'Title', exact: true });
  await expect(title).toBeFocused();
  await title.fill('Tea for everyone');
  await title.press('Enter');
  await expect(tool(demo, 'Tea for everyone', 'Rename')).toBeFocused();

  await tool(demo, 'Tea for everyone', 'Delete').click();
  const undo = demo.button('Undo: delete Tea for everyone');
  await expect(undo).toBeFocused();
  await undo.press('Enter');
  await expect(row(demo, 'Tea for everyone').locator('.chat-open')).toBeFocused();
  await row(demo, 'Tea for everyone').locator('.chat-open').press('Enter');
  await expect(demo.conversation.locator('.user-message')).toHaveText(['Add a card "Tea" to Todo']);
  await expect(page.getByRole('heading', { name: 'Tea for everyone' })).toBeVisible();
});

test(
  'a deleted chat can be restored after a reload, until the offer expires',
  { tag: '@full' },
  async ({ demo, page }) => {
    await twoChats(demo);
    await openList(demo);
    // The shown chat is deleted: a new chat replaces it.
    await tool(demo, 'List the cards', 'Delete').click();
    await expect(demo.conversation).toContainText('An agent you can hold on to');
    await demo.reload();
    await openList(demo);
    await demo.button('Undo: delete List the cards').click();
    await expect(row(demo, 'List the cards').locator('.chat-open')).toBeFocused();
    await tool(demo, 'Add a card', 'Delete').click();
    await expect(demo.button('Undo: delete Add a card "Tea" to Todo')).toBeVisible();
    await page.clock.setFixedTime(Date.now() + 61_000);
    await demo.reload();
    const titles = () =>
      page.evaluate(async () => (await window.__banister.log.list()).map(({ title }) => title));
    await expect.poll(titles).not.toContain('Add a card "Tea" to Todo');
    expect(await titles()).toContain('List the cards');
    await openList(demo);
    await expect(demo.chatRows).toHaveText([/New chat/, /List the cards/]);
    await expect(demo.card('Tea')).toBeVisible();
  },
);

test('Enter in the search shows the first found chat', { tag: '@full' }, async ({ demo, page }) => {
  await twoChats(demo);
  await demo.message.press('Control+k');
  const search = page.getByRole('searchbox', { name: 'Find a chat by its title' });
  await search.fill('nothing like it');
  await search.press('Enter');
  await expect(demo.chatList).toBeVisible();
  await search.fill('tea');
  await search.press('Enter');
  await expect(demo.chatList).toHaveCount(0);
  await expect(demo.conversation.locator('.user-message')).toHaveText(['Add a card "Tea" to Todo']);
  await expect(demo.message).toBeFocused();
});

test(
  'a title that cannot be stored stays in its field, with the reason, and is stored later',
  { tag: '@full' },
  async ({ demo, page }) => {
    await twoChats(demo);
    await openList(demo);
    await tool(demo, 'Add a card', 'Rename').click();
    const title = page.getByRole('textbox', { name: 'Title', exact: true });
    await title.fill('Tea for everyone');
    await demo.refuseWrites();
    await title.press('Enter');
    const problem = demo.chatList.getByRole('alert');
    await expect(problem).toContainText('The title is not saved. The browser has no room');
    await expect(title).toHaveValue('Tea for everyone');
    await demo.takeWrites();
    await title.press('Enter');
    await expect(tool(demo, 'Tea for everyone', 'Rename')).toBeFocused();
    await expect(problem).toBeEmpty();
  },
);

test(
  'a chat that could not be stored is brought back after it was deleted',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.refuseWrites();
    await demo.ask('Add a card "Refused" to Todo');
    await demo.ask('Add a card "Unsaved" to Todo');
    await expect(demo.turns).toHaveCount(2);
    await openList(demo);
    await tool(demo, 'Refused', 'Delete').click();
    await expect(demo.turns).toHaveCount(0);
    await demo.button('Undo: delete Add a card "Refused" to Todo').click();
    await expect(row(demo, 'Refused').locator('.chat-open')).toBeFocused();
    await expect(demo.turns).toHaveCount(2);
    await demo.takeWrites();
    await demo.ask('Add a card "Saved" to Todo');
    await expect(demo.mark).toHaveText('Saved on this device');
    await demo.reload();
    await expect(demo.turns).toHaveCount(3);
  },
);

test(
  'a chat with an open question keeps waiting while another chat is shown, and says so in the list',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.say('Delete "Draw the logo"');
    await expect(demo.confirmations).toHaveCount(1);
    await demo.button('New chat').click();
    await expect(demo.confirmations).toHaveCount(0);
    await demo.ask('Add a card "Meanwhile" to Todo');
    await openList(demo);
    await expect(row(demo, 'Delete')).toContainText('Waiting for you');
    await row(demo, 'Delete').locator('.chat-open').click();
    await demo.approval().click();
    await demo.idle();
    await expect(demo.card('Draw the logo')).toHaveCount(0);
    await expect(demo.card('Meanwhile')).toBeVisible();
  },
);

test(
  'the list works with the keyboard alone, and axe finds no accessibility violation',
  { tag: '@full' },
  async ({ demo, page }) => {
    await twoChats(demo);
    await demo.button('All chats').press('Enter');
    await expect(row(demo, 'List the cards').locator('.chat-open')).toBeFocused();
    await page.keyboard.press('ArrowDown');
    await expect(row(demo, 'Add a card').locator('.chat-open')).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('searchbox', { name: 'Find a chat by its title' })).toBeFocused();
    await tool(demo, 'Add a card', 'Rename').press('Enter');
    await page.getByRole('textbox', { name: 'Title', exact: true }).press('Escape');
    await expect(tool(demo, 'Add a card', 'Rename')).toBeFocused();
    await tool(demo, 'Add a card', 'Delete').press('Enter');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)).toEqual(
        [],
      );
    }
    await page.keyboard.press('Escape');
    await expect(demo.chatList).toHaveCount(0);
    await expect(demo.button('All chats')).toBeFocused();
  },
);

test(
  'values that earlier releases left in the storage of the tab break nothing',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.addInitScript(() => {
      for (const storage of [localStorage, sessionStorage]) {
        if (storage.getItem('seeded') !== null) continue;
        storage.setItem('seeded', 'yes');
        for (const key of ['board', 'log', 'log.1', 'chat', 'removed-chats'])
          storage.setItem(`banister.${key}`, '{"version":1,"columns":[');
      }
    });
    await demo.open();
    await demo.ask('Add a card "Fine" to Todo');
    await demo.stored();
    await demo.reload();
    await expect(demo.card('Fine')).toBeVisible();
    await expect(demo.turns).toHaveCount(1);
  },
);
