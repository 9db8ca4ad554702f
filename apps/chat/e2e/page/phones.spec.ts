// Questions and receipts on a phone, in each view.
import { viewNames } from '../../src/view/chat-views.js';
import { expect, test } from '../fixture.js';

for (const view of viewNames) {
  for (const [width, height] of [
    [360, 740],
    [390, 844],
  ] as const) {
    test(
      `audit-V12 at ${width}x${height} all questions are approved at once, and the receipt opens at its beginning, in ${view}`,
      { tag: '@full' },
      async ({ demo, page }) => {
        await page.setViewportSize({ width, height });
        await demo.goTo(`/?view=${view}&pace=fast`);
        await demo.say('Tidy up Done');
        await demo.button('Approve all 3').click();
        await demo.idle();
        expect(await demo.titles('Done')).toEqual([]);
        await demo.ask('Plan the launch week');
        await page.getByRole('button', { name: 'Undo', exact: true }).last().click();
        const steps = demo.receipt.last().locator('.receipt-steps');
        await expect(steps.locator('summary')).toBeInViewport();
        await steps.locator('summary').click();
        await expect(steps).toHaveAttribute('open');
        // Waits until the page has drawn it and moved it to its place.
        await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));
        await expect(steps.locator('summary')).toBeInViewport();
      },
    );
  }

  for (const [width, height] of [
    [360, 740],
    [768, 1024],
    [1440, 900],
    [740, 360],
  ] as const) {
    test(
      `audit-V8 at ${width}x${height} the head says when a question will be declined, and Wait stops the deadline, in ${view}`,
      { tag: '@full' },
      async ({ demo, page }) => {
        await page.setViewportSize({ width, height });
        await demo.goTo(`/?view=${view}&pace=fast`);
        await demo.say('Delete "Draw the logo"');
        const clock = page.locator('.questions-clock');
        await expect(clock).toHaveText(/^[12]:\d\d left, then no$/);
        const hidden = await clock.evaluate(
          (element) =>
            element.scrollWidth - element.clientWidth || element.getBoundingClientRect().width === 0,
        );
        expect(Number(hidden)).toBeLessThanOrEqual(0);
        const wait = demo.button('Wait');
        await wait.click();
        await expect(wait).toHaveAttribute('aria-pressed', 'true');
        await expect(clock).toHaveText(/^1[12]:\d\d left, then no$/);
      },
    );
  }
}
