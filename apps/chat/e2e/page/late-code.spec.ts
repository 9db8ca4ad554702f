import type { Route } from '@playwright/test';
import { expect, test } from '../fixture.js';

// The code of sessions is fetched in the background.
const code = /\/assets\/session-chunk-[\w-]{8}\.js$/;

test('a turn is shown before its code is loaded, and can be stopped', async ({ demo, page }) => {
  const held: Route[] = [];
  await page.route(code, (route) => void held.push(route));
  await demo.open();
  await demo.say('Add a card "Plan" to Todo');
  await expect(demo.stop).toBeVisible();
  await demo.stop.click();
  await demo.idle();
  await expect(demo.status).toHaveText(/^Stopped/);
  expect(held).toHaveLength(1);
  await held[0]!.continue();

  await demo.button('Try again').click();
  await demo.idle();
  await expect(demo.card('Plan')).toHaveCount(1);
});

test('if the code cannot be fetched, the turn fails, and Retry fetches it again', async ({ demo, page }) => {
  await page.route(code, (route) => route.abort());
  await demo.open();
  await demo.ask('Add a card "Plan" to Todo');
  await expect(demo.grip).toHaveAttribute('data-kind', 'failed');
  await expect(page.getByRole('alert')).toContainText('could not be loaded');
  // The browser itself logs each failed fetch.
  const said = demo.errors.splice(0);
  expect(said.every((text) => text.startsWith('Failed to load resource'))).toBe(true);

  await page.unroute(code);
  await demo.button('Try again').click();
  await demo.idle();
  await expect(demo.card('Plan')).toHaveCount(1);
});
