import { expect, test } from '../fixture.js';

for (const [fault, words, title, tag] of [
  ['error', 'server failed in the middle', 'This turn failed', []],
  ['cut', 'ended before its answer was whole', 'This turn was interrupted', ['@full']],
] as const) {
  test(
    `after a failure in the middle of a turn (${fault}), the turn is rolled back, and Try again does not duplicate the message`,
    { tag: [...tag] },
    async ({ demo, page }) => {
      await demo.open(`pace=fast&fault=${fault}`);
      await demo.say('Add a card "Fix the footer" to Todo');
      await demo.idle();

      await expect(demo.grip).toHaveAttribute('data-kind', 'failed');
      await expect(demo.status).toContainText(words);
      await expect(page.getByRole('alert')).toContainText(words);
      await expect(demo.card('Fix the footer')).toHaveCount(0);
      await expect(demo.receipt).toContainText(title);
      await expect(demo.receipt).toContainText('Taken back');

      await demo.button('Try again').click();
      await demo.idle();
      await expect(demo.card('Fix the footer')).toHaveCount(1);
      await expect(demo.conversation.locator('.user-message')).toHaveText([
        'Add a card "Fix the footer" to Todo',
      ]);
      await expect(demo.conversation).toContainText('Tried again');
      await expect(demo.button('Try again')).toHaveCount(0);
      const userMessages = await page.evaluate(
        () =>
          window.__banister.chat.session
            .peek()
            .state.conversation.messages.filter(
              ({ role, parts }) => role === 'user' && parts[0]?.type === 'text',
            ).length,
      );
      expect(userMessages).toBe(1);
    },
  );
}

test(
  'a failure is an alert when it happens, and can be read afterwards',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&fault=error');
    await demo.ask('Add a card "Fix the footer" to Todo');
    const alert = page.getByRole('alert');
    const text = demo.conversation.locator('.turn-error');
    await expect(alert).toContainText('server failed in the middle');
    // In a restored conversation the error is not new, so it is not an alert.
    await demo.reload();
    await expect(text).toContainText('server failed in the middle');
    await expect(demo.button('Try again')).toBeVisible();
    await expect(alert).toHaveCount(0);
    // A failed turn cannot be tried again if another turn follows it.
    await demo.ask('List the cards');
    await expect(alert).toContainText('server failed in the middle');
    await demo.ask('List the cards');
    await expect(text).toHaveCount(2);
    await expect(alert).toHaveCount(0);
  },
);
