import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { everyView, expect, test, type Demo } from './fixture.js';

async function expectAccessible(page: Page): Promise<void> {
  // Colours in the middle of a transition are nobody's colours.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter((one) => one.effect?.getTiming().iterations !== Infinity)
        .map((one) => one.finished),
    ),
  );
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
}

async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [scroll, client] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  expect(scroll).toBeLessThanOrEqual(client!);
}

const states: readonly (readonly [name: string, query: string, reach: (demo: Demo) => Promise<void>])[] = [
  ['empty', 'pace=fast', () => Promise.resolve()],
  [
    'streaming',
    'pace=slow',
    async (demo) => {
      await demo.say('Add a card "Water the plants in the meeting room" to Doing');
      await expect(demo.ghosts()).toContainText('Water');
    },
  ],
  [
    'confirming',
    'pace=fast',
    async (demo) => {
      await demo.say('Delete three cards from Done');
      await expect(demo.confirmations).toHaveCount(3);
    },
  ],
  [
    'failed',
    'pace=fast&fault=error',
    async (demo) => {
      await demo.ask('Add a card "Fix the footer" to Todo');
      await expect(demo.button('Retry')).toBeVisible();
    },
  ],
  [
    'undone, with everything open',
    'pace=fast',
    async (demo) => {
      await demo.ask('Plan a product launch');
      await demo.button('Undo turn').click();
      await expect(demo.receipt).toBeVisible();
      await demo.tool('board.add_card').first().getByRole('button').click();
      await demo.button('Shortcuts').click();
      await demo.button('How').click();
      await demo.page.getByRole('combobox', { name: 'Provider' }).selectOption('OpenAI-compatible');
    },
  ],
];

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    for (const [name, query, reach] of states) {
      // Styles and colours are shared: once is enough for the dark ones.
      const views = colorScheme === 'light' && name !== 'empty' ? everyView : {};
      test(`no accessibility violation: ${name}`, views, async ({ demo, page }) => {
        await demo.open(query);
        await reach(demo);
        await expectAccessible(page);
      });
    }
  });
}

test.describe('at 360 pixels', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  for (const [name, query, reach] of states) {
    test(`nothing sticks out: ${name}`, async ({ demo, page }) => {
      await demo.open(query);
      await reach(demo);
      await expectNoSidewaysScroll(page);
      await expect(demo.message).toBeInViewport();
    });
  }
});

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('nothing moves', async ({ demo, page }) => {
    await demo.open('pace=slow');
    await demo.say('Add a card "Quietly" to Doing');
    await expect(demo.ghosts()).toBeVisible();
    const moving = await page.evaluate(
      () =>
        document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().endTime) > 1).length,
    );
    expect(moving).toBe(0);
    await demo.idle();
    await expect(demo.card('Quietly')).toBeVisible();
  });
});
