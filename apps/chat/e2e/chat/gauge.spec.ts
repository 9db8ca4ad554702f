import { expect, test } from '../fixture.js';

test('the gauge shows how full the context is, once the model’s window is known', async ({ demo, page }) => {
  const meter = page.getByRole('meter', { name: 'Context' });
  await demo.open();
  await expect(meter).toHaveCount(0);
  await demo.ask('Add a card "Tea" to Todo');
  await expect(meter).toHaveAttribute('aria-valuetext', /^\d+ % of the context used$/);
  const used = Number(await meter.getAttribute('aria-valuenow'));
  expect(used).toBeGreaterThan(0);
  await expect(meter).toHaveText(`${used} %`);
  await demo.ask('Plan a product launch');
  await expect.poll(async () => Number(await meter.getAttribute('aria-valuenow'))).toBeGreaterThan(used);
  // Another chat has its own.
  await demo.button('New chat').click();
  await expect(meter).toHaveCount(0);
});
