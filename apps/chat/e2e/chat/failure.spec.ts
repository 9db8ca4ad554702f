import { expect, test } from '../fixture.js';

for (const [fault, code] of [
  ['error', 'server'],
  ['cut', 'interrupted'],
] as const) {
  test(`a failure in the middle of a turn (${fault}) rolls back, and Retry goes on without a doubled message`, async ({
    demo,
    page,
  }) => {
    await demo.open(`pace=fast&fault=${fault}`);
    await demo.say('Add a card "Fix the footer" to Todo');
    await demo.idle();

    await expect(demo.status).toHaveText('Failed');
    await expect(page.getByRole('alert')).toContainText(code);
    await expect(demo.card('Fix the footer')).toHaveCount(0);
    await expect(demo.receipt).toContainText('This turn failed');
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
  });
}
