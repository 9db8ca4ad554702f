import { expect, test } from '../fixture.js';

test('the gauge shows how full the context is, once the model’s window is known', async ({ demo }) => {
  const meter = demo.gauge;
  const share = async () => Number.parseInt((await meter.getAttribute('aria-label')) ?? '', 10);
  await demo.open();
  await expect(meter).toHaveCount(0);
  await demo.ask('Add a card "Tea" to Todo');
  await expect(meter).toHaveAccessibleName(/^\d+ % of the context used$/);
  const used = await share();
  expect(used).toBeGreaterThan(0);
  await expect(meter).toHaveText(`${used} %`);
  await demo.ask('Plan a product launch');
  await expect.poll(share).toBeGreaterThan(used);
  // Another chat has its own.
  await demo.button('New chat').click();
  await expect(meter).toHaveCount(0);
});
