import { expect, test } from '../fixture.js';

test('the gauge shows how full the context is when the model’s window is known', async ({ demo }) => {
  const meter = demo.gauge;
  const share = async () => Number.parseInt((await meter.getAttribute('aria-label')) ?? '', 10);
  await demo.open();
  await expect(meter).toHaveCount(0);
  await demo.ask('Add a card "Tea" to Todo');
  await expect(meter).toHaveAccessibleName(/^\d+ % of the model’s room is left$/);
  const left = await share();
  expect(left).toBeGreaterThan(50);
  await expect(meter).toHaveText('');
  await demo.ask('Plan a product launch');
  await expect.poll(share).toBeLessThan(left);
  // Another chat has its own figures.
  await demo.button('New chat').click();
  await expect(meter).toHaveCount(0);
  await demo.open('pace=fast&window=2600');
  await demo.ask('Add a card "Tea" to Todo');
  await expect(meter).toHaveText(/^\s*\d\d %$/);
  await meter.press('Enter');
  const menu = demo.page.getByRole('menu');
  await expect(menu).toContainText('The model reads the whole chat with each message.');
});
