// A review and an undo at every size that the demo supports, from a phone to a large screen.
import { expectAccessible, expectNoSidewaysScroll } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

const phone = { width: 360, height: 740 };
const sizes = [
  { width: 320, height: 256 },
  { width: 640, height: 400 },
  { width: 740, height: 360 },
  phone,
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1440 },
];

/** Expects at each size that the buttons of the grip are on the screen, and that nothing overflows. */
async function expectWithinReach({ page, grip }: Demo, ...names: readonly string[]): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size);
    await expectNoSidewaysScroll(page);
    for (const name of names) {
      const button = grip.getByRole('button', { name, exact: true });
      await expect(button, `${name} at ${size.width}x${size.height}`).toBeInViewport({ ratio: 0.95 });
    }
  }
  await page.setViewportSize(phone);
}

async function expectAccessibleInBoth({ page }: Demo): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessible(page);
  // Only the colours differ.
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page, ['color-contrast']);
}

test.describe('on a phone', () => {
  test.use({ viewport: phone });

  test('a card that waits for a decision, a restored card, and the buttons are in view at every size', async ({
    demo,
    page,
  }) => {
    await demo.open();
    await page.getByRole('combobox', { name: 'Changes' }).selectOption('Review first');
    await demo.say('Rename "Draw the logo" to "Logo"');
    await demo.phase('reviewing');
    await expect(demo.card('Logo')).toHaveAttribute('data-state', 'staged');
    await expect(demo.button('Take back: Renamed “Logo”')).toBeInViewport({ ratio: 0.95 });
    await expectAccessibleInBoth(demo);
    await expectWithinReach(demo, 'Keep', 'Take back');

    await demo.grip.getByRole('button', { name: 'Keep', exact: true }).click();
    await demo.idle();
    await demo.undo.click();
    await expect(demo.card('Draw the logo')).toContainText('Name is back');
    await expect(demo.card('Draw the logo')).toBeInViewport({ ratio: 0.95 });
    await expectAccessibleInBoth(demo);
    await expectWithinReach(demo, 'Redo');
  });
});
