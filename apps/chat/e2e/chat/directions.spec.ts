import { expectAccessible } from '../accessible.js';
import { expect, test } from '../fixture.js';

test(
  'audit-V9: in a page from right to left the rail is at the right, arrows point to what follows, and nothing is out of sight',
  {
    tag: '@full',
  },
  async ({ demo, page }) => {
    await demo.open();
    await page.evaluate(() => void (document.documentElement.dir = 'rtl'));
    await demo.say('Plan a product launch, then delete two cards from Done');
    await expect(demo.confirmations).toHaveCount(2);
    const box = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { left, right } = element.getBoundingClientRect();
          return { left, right };
        });
    // The marks on the rail are on the side on which lines begin.
    const [mark, title] = [await box('.questions > .mark'), await box('.question-title')];
    expect(mark.left).toBeGreaterThan(title.right - 1);
    const [before, arrow, after] = [
      await box('.change > p:first-child'),
      await page
        .locator('.change > .icon')
        .first()
        .evaluate((icon) => getComputedStyle(icon).scale),
      await box('.change > p:last-child'),
    ];
    expect(before.left).toBeGreaterThan(after.right - 1);
    expect(arrow).toBe('-1 1');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
      await page.evaluate(() => innerWidth),
    );
    await expectAccessible(page);
  },
);

test(
  'audit-V11: in forced colours the message and an open question have edges',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.emulateMedia({ forcedColors: 'active' });
    await demo.open();
    await demo.say('Delete "Draw the logo"');
    await expect(demo.confirmations).toHaveCount(1);
    for (const selector of ['.handle', '.questions-box']) {
      const edge = await page
        .locator(selector)
        .first()
        .evaluate((element) => {
          const { outlineStyle, outlineWidth } = getComputedStyle(element);
          return { outlineStyle, outlineWidth };
        });
      expect(edge.outlineStyle).toBe('solid');
      expect(parseFloat(edge.outlineWidth)).toBeGreaterThanOrEqual(1);
    }
  },
);

test(
  'audit-V9: the edit button of a message covers no words, in any text direction of the page and the message',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    const words = 'sing a long song about the logo '.repeat(4).trim();
    for (const [dir, text] of [
      ['ltr', words],
      ['rtl', words],
      ['ltr', 'شعار '.repeat(30).trim()],
    ] as const) {
      await page.evaluate((to) => void (document.documentElement.dir = to), dir);
      await demo.ask(text);
      const isCovered = await demo.turns.last().evaluate((turn) => {
        const edit = turn.querySelector('.user-row .icon-button')!.getBoundingClientRect();
        const range = document.createRange();
        range.selectNodeContents(turn.querySelector('.user-message')!);
        return [...range.getClientRects()].some(
          ({ left, right, top, bottom }) =>
            left < edit.right && right > edit.left && top < edit.bottom && bottom > edit.top,
        );
      });
      expect(isCovered, `${dir}: ${text.slice(0, 10)}`).toBe(false);
    }
  },
);

test(
  'audit-V11: in forced colours the chosen segment differs from the other segments',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.emulateMedia({ forcedColors: 'active' });
    await demo.open();
    await demo.say('Publish the board for everyone');
    // Forced colours remove the page's backgrounds, except where the page keeps them.
    const chosen = demo.confirmations.locator('.segments label').filter({ hasText: 'Everyone' });
    const adjust = await chosen.evaluate((label) => getComputedStyle(label).forcedColorAdjust);
    expect(adjust).toBe('none');
  },
);
