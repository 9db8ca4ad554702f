// React draws the panel How it works, no matter which framework draws the chat.
import { expectAccessible } from '../accessible.js';
import { expect, test } from '../fixture.js';

test('How it works shows records from the start of the page', { tag: '@full' }, async ({ demo, page }) => {
  await demo.open();
  await demo.ask('Add a card "Tea" to Todo');
  await demo.button('How it works').click();
  const how = page.getByRole('complementary', { name: 'How it works' });
  const steps = how.getByRole('list', { name: 'Operations' }).getByRole('listitem');
  await expect(steps.filter({ hasText: 'turnStarted' })).toHaveCount(1);
  await expect(steps.filter({ hasText: 'toolStarted' })).toContainText('board.add_card');
  await expect(how.getByText(/^\d+ operations, \d+ publications$/)).toBeVisible();
  await expectAccessible(page);
});

test('no name and no value of a signal is broken within a word', { tag: '@full' }, async ({ demo, page }) => {
  await demo.open();
  await demo.say('Delete three cards from Done');
  await demo.phase('confirming');
  await demo.button('How it works').click();
  const signals = page.locator('.how .signals').first();
  await expect(signals.getByRole('cell', { name: 'confirming' })).toBeVisible();
  for (const width of [1180, 1280, 1440]) {
    await page.setViewportSize({ width, height: 800 });
    const broken = await signals.evaluate((table) => {
      const words = [...table.querySelectorAll('th, td')].filter((cell) => !cell.textContent.includes(' '));
      const isBroken = (cell: Element) => {
        const text = document.createRange();
        text.selectNodeContents(cell);
        return text.getClientRects().length > 1;
      };
      return words.filter(isBroken).map((cell) => cell.textContent);
    });
    expect(broken, `${width}`).toEqual([]);
    // Nor is the column wider than its place.
    const [needed, room] = await signals.evaluate(({ parentElement: part }) => [
      part!.scrollWidth,
      part!.clientWidth,
    ]);
    expect(needed).toBeLessThanOrEqual(room!);
  }
});

test('the tokens and rounds of the session are counted in How it works', async ({ demo, page }) => {
  await demo.open();
  await demo.button('How it works').click();
  const usage = page.getByRole('region', { name: 'Usage', exact: true });
  await expect(usage).toContainText('No model has counted anything yet.');
  await demo.ask('Add a card "Tea" to Todo');
  const counted = (name: string) => usage.getByRole('row', { name }).getByRole('cell');
  const number = async (name: string) => Number((await counted(name).innerText()).replaceAll(',', ''));
  await expect(counted('rounds, this version')).toHaveText('2');
  expect(await number('input tokens')).toBeGreaterThan(0);
  expect(await number('tokens in all')).toBe(
    (await number('input tokens')) + (await number('output tokens')),
  );
  await expectAccessible(page);
  // The panel is about this chat only.
  await demo.button('New chat').click();
  await expect(usage).toContainText('No model has counted anything yet.');
});

test(
  'a step and the lines of its task light up together, and a press on the lines marks their steps',
  { tag: '@full' },
  async ({ demo, page }) => {
    // The tool runs until the test has looked.
    await demo.open('pace=fast&work=held');
    await demo.button('How it works').click();
    const how = page.getByRole('complementary', { name: 'How it works' });
    const lit = how.locator('li[data-lit]');
    const lines = how.locator('figure').filter({ hasText: 'Draw a call before it is complete' });
    await expect(lines).not.toHaveAttribute('data-lit');
    await demo.say('Add a card "Tea" to Todo');
    // Each operation before the call is lit for a moment.
    await expect(lit).toHaveText([/toolStarted/]);
    await expect(how.locator('figure[data-lit]')).toHaveCount(1);
    await expect(lines).toHaveAttribute('data-lit');

    await demo.hurry();
    await demo.idle();
    await expect(lit).toHaveCount(0);
    await expect(how.locator('figure[data-lit]')).toHaveCount(0);

    const job = how.getByRole('button', { name: 'Draw a call before it is complete' });
    await job.press('Enter');
    await expect(job).toHaveAttribute('aria-pressed', 'true');
    await expect(how.locator('li[data-picked]').filter({ hasText: 'toolStarted' })).toHaveCount(1);
    await expect(how.locator('li[data-picked]').filter({ hasText: 'turnStarted' })).toHaveCount(0);
    await job.press('Enter');
    await expect(how.locator('[data-picked]')).toHaveCount(0);
  },
);
