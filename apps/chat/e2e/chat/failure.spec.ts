import { expect, test } from '../fixture.js';

for (const [fault, code, status, title, tag] of [
  ['error', 'server', 'Failed', 'This turn failed', '@one-view'],
  ['cut', 'interrupted', 'Interrupted', 'This turn was interrupted', '@full'],
] as const) {
  test(
    `a failure in the middle of a turn (${fault}) rolls back, and Retry goes on without a doubled message`,
    { tag },
    async ({ demo, page }) => {
      await demo.open(`pace=fast&fault=${fault}`);
      await demo.say('Add a card "Fix the footer" to Todo');
      await demo.idle();

      await expect(demo.status).toHaveText(status);
      await expect(page.getByRole('alert')).toContainText(code);
      await expect(demo.card('Fix the footer')).toHaveCount(0);
      await expect(demo.receipt).toContainText(title);
      await expect(demo.receipt).toContainText('Made and taken back');

      await demo.button('Retry').click();
      await demo.idle();
      await expect(demo.card('Fix the footer')).toHaveCount(1);
      await expect(demo.conversation.locator('.user-message')).toHaveText([
        'Add a card "Fix the footer" to Todo',
      ]);
      await expect(demo.conversation).toContainText('Tried again');
      await expect(demo.button('Retry')).toHaveCount(0);
      const userMessages = await page.evaluate(
        () =>
          window.__handrail.chat.session
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
  'a failure alerts when it happens, and is there to be read afterwards',
  { tag: '@one-view' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&fault=error');
    await demo.ask('Add a card "Fix the footer" to Todo');
    const alert = page.getByRole('alert');
    const text = demo.conversation.locator('.turn-error');
    await expect(alert).toContainText('server');
    // In a restored conversation the error is no news, and no alert.
    await demo.reload();
    await expect(text).toContainText('server');
    await expect(demo.button('Retry')).toBeVisible();
    await expect(alert).toHaveCount(0);
    // A failed turn with another turn after it has no Retry either.
    await demo.ask('List the cards');
    await expect(alert).toContainText('server');
    await demo.ask('List the cards');
    await expect(text).toHaveCount(2);
    await expect(alert).toHaveCount(0);
  },
);
