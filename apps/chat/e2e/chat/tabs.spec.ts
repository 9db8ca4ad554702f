import type { BrowserContext } from '@playwright/test';
import { Demo, expect, test } from '../fixture.js';

/** Opens a second tab with the chat that the first tab shows. */
async function secondTab(first: Demo, context: BrowserContext, query = 'pace=fast'): Promise<Demo> {
  const second = new Demo(await context.newPage(), first.view);
  const chat = new URL(first.page.url()).searchParams.get('chat')!;
  await second.open(`${query}&chat=${chat}`);
  await expect(second.mark).toHaveText('Another tab writes');
  return second;
}

/** A turn streams in the first tab, and its card is in both tabs. */
async function stalledInTwoTabs(first: Demo, context: BrowserContext): Promise<Demo> {
  await first.open('pace=fast&fault=stall');
  await first.say('Add a card "Seen for a moment" to Todo');
  await first.phase('streaming');
  await expect(first.card('Seen for a moment')).toBeVisible();
  const second = await secondTab(first, context);
  await expect(second.card('Seen for a moment')).toBeVisible();
  return second;
}

test('two tabs show one chat and one board live, and both can send, answer, stop and undo', async ({
  demo,
  context,
}) => {
  await demo.open();
  await demo.ask('Add a card "From the first" to Todo');
  const second = await secondTab(demo, context);
  await expect(second.turns).toHaveCount(1);
  await expect(second.card('From the first')).toBeVisible();

  await second.say('Delete "Draw the logo"');
  await expect(demo.confirmations).toHaveCount(1);
  await expect(second.confirmations).toHaveCount(1);
  await demo.approval().click();
  await second.idle();
  await demo.idle();
  for (const tab of [demo, second]) await expect(tab.card('Draw the logo')).toHaveCount(0);

  await second.undo.click();
  for (const tab of [demo, second]) await expect(tab.card('Draw the logo')).toBeVisible();
  await second.rename('From the first', 'From the second');
  await expect(demo.card('From the second')).toBeVisible();
  second.expectCleanPage();
});

test('a turn that one tab began is stopped in the other', { tag: '@full' }, async ({ demo, context }) => {
  const second = await stalledInTwoTabs(demo, context);
  await second.stop.click();
  await second.idle();
  await demo.idle();
  for (const tab of [demo, second]) await expect(tab.card('Seen for a moment')).toHaveCount(0);
  await expect(second.receipt).toContainText('You stopped this turn');
  second.expectCleanPage();
});

test(
  'V2: when the writing tab is closed during a turn, the other tab continues it with one click',
  { tag: '@full' },
  async ({ demo, context }) => {
    const second = await stalledInTwoTabs(demo, context);
    await demo.page.close();
    await expect(second.interruption).toContainText('Interrupted');
    await expect(second.mark).toHaveText('Saved on this device');
    await second.button('Continue').click();
    await second.idle();
    await expect(second.grip).toHaveAttribute('data-kind', 'held');
    await expect(second.cards('Todo').filter({ hasText: 'Seen for a moment' })).toHaveCount(1);
    await second.undo.click();
    await expect(second.card('Seen for a moment')).toHaveCount(0);
    second.expectCleanPage();
  },
);

test(
  'a chat that is deleted in one tab is replaced by a new chat in the other tab, and can be restored in both lists',
  { tag: '@full' },
  async ({ demo, context }) => {
    await demo.open();
    await demo.ask('List the cards');
    const second = await secondTab(demo, context);
    await expect(second.turns).toHaveCount(1);
    await demo.button('All chats').click();
    await demo.chatRows.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(demo.turns).toHaveCount(0);
    await expect(second.turns).toHaveCount(0);
    await second.button('All chats').click();
    await second.button('Undo: delete List the cards').click();
    await second.chatRows.filter({ hasText: 'List the cards' }).locator('.chat-open').click();
    await expect(second.turns).toHaveCount(1);
    await expect(demo.chatRows.filter({ hasText: 'List the cards' }).locator('.chat-open')).toBeVisible();
    second.expectCleanPage();
  },
);

test(
  'the mark shows that the page is offline, and the chat works',
  { tag: '@full' },
  async ({ demo, context }) => {
    await demo.open();
    await demo.ask('Add a card "Online" to Todo');
    await expect(demo.mark).toHaveText('Saved on this device');
    await context.setOffline(true);
    await expect(demo.mark).toHaveText('Offline, still works');
    await demo.ask('Add a card "Offline" to Todo');
    await expect(demo.card('Offline')).toBeVisible();
    await context.setOffline(false);
    await expect(demo.mark).toHaveText('Saved on this device');
  },
);
