import { expect, test } from '../fixture.js';

test('everything can be done without a pointer: ask, edit the arguments, approve, undo, redo', async ({
  demo,
  page,
}) => {
  await demo.open();
  const tabTo = async (name: string) => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { activeElement: element } = document;
        return (
          element?.getAttribute('aria-label') ??
          element?.closest('label')?.textContent ??
          element?.textContent
        );
      });
      if (focused?.trim() === name) return;
    }
    throw new Error(`Tab never came to ${name}.`);
  };

  await tabTo('Message');
  await page.keyboard.type('Delete two cards from Done');
  await page.keyboard.press('Enter');
  await expect(demo.confirmations).toHaveCount(2);

  await page.keyboard.press('Shift+Tab'); // from the message back to what stands above it
  await tabTo('Approve');
  await page.keyboard.press('Enter');
  // The pressed button is gone with its question: the next question's takes over.
  await expect(demo.confirmations).toHaveCount(1);
  await expect(demo.confirmations.getByRole('button', { name: 'Approve' })).toBeFocused();
  await page.keyboard.press('Enter');
  await demo.idle();
  await expect(demo.message).toBeFocused();
  await expect(demo.cards('Done')).toHaveCount(1);

  await tabTo('Undo turn');
  await page.keyboard.press('Enter');
  await expect(demo.cards('Done')).toHaveCount(3);
});

test('Stop can be reached and pressed while the agent writes', async ({ demo, page }) => {
  await demo.open('pace=slow');
  await demo.message.fill('Plan a product launch');
  await page.keyboard.press('Enter');
  await demo.phase('streaming');
  await expect(demo.message).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(demo.stop).toBeFocused();
  await page.keyboard.press('Enter');
  await demo.idle();
  await expect(demo.message).toBeFocused();
});
