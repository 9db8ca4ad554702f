import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test, type Demo } from '../fixture.js';

const asks = [
  'Add a card "Tea" to Todo',
  'Plan a product launch',
  'Add five cards about coffee to Doing',
] as const;

/** Has a conversation that a summary makes shorter. */
async function talk(demo: Demo, query?: string): Promise<void> {
  await demo.open(query);
  for (const ask of asks) await demo.ask(ask);
}

const marks = ({ conversation }: Demo) => conversation.locator('details.compaction');

/** Expects that the conversation can, or cannot, be made shorter. */
async function expectShorter(demo: Demo, isOffered: boolean): Promise<void> {
  await expect(await demo.shorter()).toHaveAttribute('aria-disabled', String(!isOffered));
  await demo.page.keyboard.press('Escape');
  await expect(demo.gauge).toBeFocused();
}

/** Waits until the log has the whole session, including the marks and the undone marks. */
async function expectStored(page: Page): Promise<void> {
  const isStored = () =>
    page.evaluate(async () => {
      const { session } = window.__banister.chat;
      const { link, compactions } = session.peek();
      const id = new URL(location.href).searchParams.get('chat')!;
      const stored = JSON.stringify(await window.__banister.log.load(id));
      return link.peek().saved && compactions.peek().every((mark) => stored.includes(mark.id));
    });
  await expect.poll(isStored).toBe(true);
}

test('"Make shorter" leaves one line, which unfolds the summary and can be reverted', async ({
  demo,
  page,
}) => {
  const used = async () => 100 - Number.parseInt((await demo.gauge.getAttribute('aria-label')) ?? '', 10);
  await talk(demo);
  const before = await used();
  await (await demo.shorter()).press('Enter');
  await expect(marks(demo)).toHaveCount(1);
  await demo.idle();
  const line = demo.turns.last().locator('details.compaction > summary');
  await expect(line).toHaveText(/^Earlier messages were compacted · [\d,]+ → [\d,]+ tokens$/);
  const compacted = await used();
  expect(compacted).toBeLessThan(before);
  // The conversation has not grown meanwhile.
  await expect(demo.gauge).toBeFocused();
  await expectShorter(demo, false);
  await expect(demo.turns).toHaveCount(asks.length);

  await expect(demo.button('Take back')).toBeHidden();
  await line.press('Enter');
  await expect(marks(demo).locator('.compaction-summary')).toContainText('- Plan a product launch');
  await demo.button('Take back').press('Enter');
  await expect(marks(demo)).toHaveCount(0);
  await expect.poll(used).toBeGreaterThan(compacted);
  await expect(demo.message).toBeFocused();
  await expectShorter(demo, true);

  await expectStored(page);
  await demo.reload();
  await expect(demo.turns).toHaveCount(asks.length);
  await expect(marks(demo)).toHaveCount(0);
});

test(
  'a long plan compacts by itself, and its line is there after a reload',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&window=4262');
    await demo.ask('Add five cards about coffee to Doing');
    await demo.ask('Plan a product launch');
    const line = demo.turns.last().locator('.compaction + *');
    // The mark is at the place of the compaction: inside the turn, before the answers to the shorter request.
    await expect(marks(demo)).toHaveCount(1);
    await expect(line).toHaveCount(1);
    await expect(demo.turns.last()).toContainText('The plan for the product launch stands');
    const words = await marks(demo).locator('summary').innerText();

    await expectStored(page);
    await demo.reload();
    await expect(line).toHaveCount(1);
    await expect(marks(demo).locator('summary')).toHaveText(words);
    await marks(demo).locator('summary').click();
    await expect(marks(demo).locator('.compaction-summary')).toContainText('5 × add card');
    await demo.button('Take back').click();
    await expect(marks(demo)).toHaveCount(0);
  },
);

test(
  'the status says that the conversation is shortened, and Stop ends it',
  { tag: '@full' },
  async ({ demo, page }) => {
    await talk(demo);
    // A model that does not answer until it is stopped.
    await page.evaluate(() => {
      const silent = async function* (_request: unknown, signal: AbortSignal) {
        await new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(new Error('aborted'))),
        );
        yield* [];
      };
      const capabilities = { images: false, contextWindow: 8_000 };
      const provider = { id: 'silent', model: 'none', capabilities, stream: silent };
      window.__banister.chat.session.peek().configure({ provider });
    });
    await (await demo.shorter()).click();
    await demo.phase('compacting');
    await expect(demo.status).toContainText('Shortening the conversation…');
    await expectShorter(demo, false);
    await demo.stop.click();
    await demo.idle();
    await marks(demo).locator('summary').click();
    await expect(marks(demo)).toContainText('There is no summary: it was cancelled.');
    await expect(marks(demo).locator('.compaction-summary')).toHaveCount(0);
    await expect(demo.button('Take back')).toBeEnabled();
  },
);

test(
  'if nothing can be saved, “Make shorter” is disabled until the conversation grows',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('Hello');
    await (await demo.shorter()).click();
    await expectShorter(demo, false);
    await expect(marks(demo)).toHaveCount(0);
    await demo.ask('Plan a product launch');
    await expectShorter(demo, true);
  },
);

test(
  'the compaction line has no accessibility violation, in light and dark mode, and fits 320 pixels',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.setViewportSize({ width: 320, height: 800 });
    await talk(demo);
    // The composer has no room for the gauge.
    await demo.button('More').click();
    const gauge = page.getByRole('banner').getByRole('button', { name: /model’s room/ });
    await (await demo.shorter(gauge)).click();
    await demo.button('More').click();
    await expect(marks(demo)).toHaveCount(1);
    await demo.idle();
    await marks(demo).locator('summary').click();
    await expect(demo.button('Take back')).toBeEnabled();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(() =>
        Promise.allSettled(
          document
            .getAnimations()
            .filter((one) => one.effect?.getTiming().iterations !== Infinity)
            .map((one) => one.finished),
        ),
      );
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(violations.map(({ id }) => id)).toEqual([]);
    }
    const overflow = await page.evaluate(
      () =>
        [document.documentElement, ...document.querySelectorAll('.conversation, .compaction')].filter(
          (one) => one.scrollWidth > one.clientWidth,
        ).length,
    );
    expect(overflow).toBe(0);
  },
);
