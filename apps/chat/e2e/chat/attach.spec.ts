import { expect, test } from '../fixture.js';

test('the work goes on while the chat is unmounted, and everything is there when it comes back', async ({
  demo,
  page,
}) => {
  // The model stalls in its last text. Otherwise the turn could be over before a slow machine mounts the chat
  // again.
  await demo.open('pace=fast&work=slow&fault=stall');
  await demo.say('Add cards "One" and "Two" to Todo');
  await expect(demo.ghosts().first()).toBeVisible();
  await demo.unmount();
  await expect(demo.conversation).toHaveCount(0);
  await expect(demo.card('Two')).toBeVisible();
  await demo.mount();
  await demo.phase('streaming');
  await expect(demo.conversation.locator('.user-message')).toHaveCount(1);
  await expect(demo.tool('board.add_card')).toHaveCount(2);
  await expect(demo.conversation.locator('.answer').last()).toContainText('Added “One” and “Two”');
  await page.evaluate(() => void window.__banister.chat.session.peek().cancel({ sideEffects: 'keep' }));
  await demo.idle();
  await demo.openGroups();
  await expect(demo.tool('board.add_card')).toContainText(['Done', 'Done']);
});

test('a question outlives the chat view', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.say('Clear Done');
  await expect(demo.confirmations).toHaveCount(1);
  await demo.unmount();
  await demo.mount();
  await demo.approval(demo.confirmation('board.clear_column')).click();
  await demo.idle();
  await expect(demo.cards('Done')).toHaveCount(0);
});

test(
  'a hidden tab, which gets no animation frames, shows everything that the model wrote before it stalled',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.addInitScript(() => {
      window.requestAnimationFrame = () => 0;
    });
    // All words arrive within one frame. After them comes no fact that is published at once.
    await demo.open('pace=fast&fault=stall');
    await demo.say('Hello');
    await demo.phase('streaming');
    await expect(demo.conversation.locator('.answer')).toHaveText('Hello. No model here:');
    await demo.stop.click();
    await demo.idle();
  },
);

test(
  'in StrictMode, which mounts everything twice, a message is sent once and a card added once',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('Add a card "Only once" to Todo');
    await expect(demo.card('Only once')).toHaveCount(1);
    await expect(demo.conversation.locator('.user-message')).toHaveCount(1);
    await expect(demo.tool('board.add_card')).toHaveCount(1);
  },
);

test(
  'the conversation and the board outlive a reload, and New chat begins another conversation',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('Add a card "Still here" to Todo');
    await demo.stored();
    await demo.reload();
    await expect(demo.card('Still here')).toBeVisible();
    await expect(demo.conversation.locator('.user-message')).toHaveText(['Add a card "Still here" to Todo']);
    await expect(demo.tool('board.add_card')).toContainText('Done');
    await demo.button('New chat').click();
    await expect(demo.conversation.locator('.user-message')).toHaveCount(0);
    await demo.reload();
    await expect(demo.conversation).toContainText('An agent you can hold on to');
  },
);

test(
  'a conversation that cannot be read shows a message, is kept, and is gone with New chat',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    const saved = '{"version":99,"messages":[],"turns":[]}';
    // A conversation of a newer release, written after `pagehide`, when the page saves.
    await page.addInitScript((text) => {
      if (sessionStorage.getItem('seeded') === null) sessionStorage.setItem('banister.conversation', text);
      sessionStorage.setItem('seeded', 'yes');
    }, saved);
    await demo.reload();
    await expect(page.getByRole('alert')).toContainText('cannot be read');
    await demo.ask('Add a card "In another chat" to Todo');
    expect(await page.evaluate(() => sessionStorage.getItem('banister.conversation'))).toBe(saved);
    await demo.button('New chat').click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await demo.ask('List the cards');
    await demo.stored();
    await demo.reload();
    await expect(demo.conversation.locator('.user-message')).toHaveText(['List the cards']);
  },
);

test(
  'a conversation that a newer release has continued is shown up to that point, and New chat starts another conversation',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask('List the cards');
    await demo.stored();
    await page.evaluate(async () => {
      const { chat, log } = window.__banister;
      const id = new URL(location.href).searchParams.get('chat')!;
      await chat.session.peek().dispose();
      const lease = await log.claim(id, 'a newer release', 5_000);
      const { epoch } = lease;
      const record = { version: 99, revision: lease.revision + 1, epoch, operations: [] };
      await log.append(lease, record, { barrier: true });
      await log.release(lease);
    });
    await demo.reload();
    await expect(page.getByRole('alert')).toContainText('A newer release');
    await expect(demo.mark).toHaveText('Can only be read');
    await expect(demo.conversation.locator('.user-message')).toHaveText(['List the cards']);
    await demo.button('New chat').click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await demo.ask('Add a card "New" to Todo');
    await demo.stored();
    await demo.reload();
    await expect(demo.conversation.locator('.user-message')).toHaveText(['Add a card "New" to Todo']);
  },
);
