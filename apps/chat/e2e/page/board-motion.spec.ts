import AxeBuilder from '@axe-core/playwright';
import type { Locator } from '@playwright/test';
import { expectAccessible } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

/** Animations of cards that have begun, with the time until they end. */
interface Played {
  readonly card: string;
  readonly from: string;
  readonly delay: number;
  readonly ends: number;
}

/**
 * Expects that a finger of 44 by 44 pixels hits the handle of the sheet, and that no other control lies under
 * the finger.
 */
async function expectTallHandle(handle: Locator): Promise<void> {
  const met = () =>
    handle.evaluate((node: HTMLElement) => {
      const { left, width, top, bottom } = node.getBoundingClientRect();
      const middle = left + width / 2;
      const hit = (x: number, y: number) => node.contains(document.elementFromPoint(x, y));
      const rows: number[] = [];
      for (let y = top - 40; y < bottom + 40; y++)
        if ([-22, 0, 22].every((x) => hit(middle + x, y + 0.5))) rows.push(y);
      // Without the handle, the finger would hit this control.
      node.style.pointerEvents = 'none';
      const under = [...document.querySelectorAll('button, select, input, textarea, a')].flatMap((other) => {
        const box = other.getBoundingClientRect();
        const centre = [box.left + box.width / 2, box.top + box.height / 2] as const;
        return other.contains(document.elementFromPoint(...centre)) ? [{ other, centre }] : [];
      });
      node.style.pointerEvents = '';
      const covered = under.filter(({ other, centre }) => other !== node && hit(...centre));
      return { isTall: rows.length >= 44, covered: covered.map(({ other }) => other.textContent) };
    });
  await expect.poll(met).toEqual({ isTall: true, covered: [] });
}

/** Records each animation of a card from here on. */
async function watchMotion({ page }: Demo): Promise<() => Promise<readonly Played[]>> {
  await page.evaluate(() => {
    const played: Played[] = [];
    Object.assign(window, { played });
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, options) {
      const timing = options as KeyframeAnimationOptions;
      if (this.matches('[data-card], .card-leaving') && Array.isArray(frames))
        played.push({
          card: this.querySelector('.card-title')?.textContent ?? this.textContent,
          from: String((this.matches('.card-leaving') ? frames[1] : frames[0])?.['transform']),
          delay: Number(timing.delay ?? 0),
          ends: Number(timing.delay ?? 0) + Number(timing.duration),
        });
      return animate.call(this, frames, options);
    };
  });
  return () => page.evaluate(() => (window as unknown as { played: Played[] }).played);
}

test('an undo slides cards back one after another, the newest change first, within 600 ms', async ({
  demo,
}) => {
  await demo.open();
  await demo.ask('Add cards "One", "Two" and "Three" to Doing');
  const played = await watchMotion(demo);
  await demo.page.evaluate(() => window.__banister.chat.session.peek().undo());
  await expect(demo.card('One')).toHaveCount(0);
  await expect.poll(async () => (await played()).length).toBe(3);
  const cards = await played();
  expect(cards.map(({ card }) => card).toSorted()).toEqual(['One', 'Three', 'Two']);
  const order = cards.toSorted((a, b) => a.delay - b.delay).map(({ card }) => card);
  expect(order).toEqual(['Three', 'Two', 'One']);
  // Added cards come from the rail on their right.
  expect(cards.every(({ from }) => from === 'translateX(24px)')).toBe(true);
  expect(Math.max(...cards.map(({ ends }) => ends))).toBeLessThanOrEqual(600);
});

test(
  'a card whose change was undone says so until the next input, and a deleted card comes back from the rail',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.say('Delete "Draw the logo"');
    await demo.approval(demo.confirmations).click();
    await demo.idle();
    await demo.ask('Move "Choose a name" to Doing');
    const played = await watchMotion(demo);
    for (let turns = 0; turns < 2; turns++)
      await page.evaluate(() => window.__banister.chat.session.peek().undo());
    await expect(demo.card('Draw the logo')).toContainText('Came back');
    await expect(demo.card('Choose a name')).toContainText('Back from Doing');
    await expect
      .poll(played)
      .toContainEqual(expect.objectContaining({ card: 'Draw the logo', from: 'translateX(24px)' }));
    const axe = new AxeBuilder({ page }).include('.board').setLegacyMode();
    expect((await axe.analyze()).violations.map(({ id }) => id)).toEqual([]);
    await page.keyboard.press('Shift');
    await expect(demo.card('Draw the logo')).not.toContainText('Came back');
    await expect(demo.card('Choose a name')).not.toContainText('Back from Doing');
  },
);

test('a card shows the change by the agent until the next turn', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.ask('Move "Choose a name" to Doing');
  await expect(demo.card('Choose a name')).toContainText('Moved from Done');
  await demo.ask('Rename "Draw the logo" to "Logo"');
  await expect(demo.card('Logo')).toContainText('Renamed');
  await expect(demo.card('Choose a name')).not.toContainText('Moved from Done');
  // An edit of the user is not marked as the agent's.
  await demo.rename('Logo', 'My logo');
  await expect(demo.card('My logo')).not.toContainText('Renamed');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } });

  const isInSight = (demo: Demo, title: string) => expect(demo.card(title)).toBeInViewport({ ratio: 0.9 });

  test(
    'a card is in sight before its change shows, and when it is asked about',
    { tag: '@full' },
    async ({ demo }) => {
      await demo.open();
      await expect(demo.card('Draw the logo')).not.toBeInViewport();
      await demo.say('Delete "Draw the logo"');
      await expect(demo.confirmations).toHaveCount(1);
      await expect(demo.board.locator('[data-card="card-logo"]')).toBeInViewport({ ratio: 0.9 });
      await demo.refusal(demo.confirmations).click();
      await demo.idle();
      await demo.ask('Rename "Decide on pricing" to "Price"');
      await isInSight(demo, 'Price');
    },
  );

  test('the board stays where the user has just scrolled it', { tag: '@full' }, async ({ demo, page }) => {
    await demo.open();
    const surface = demo.board.locator('.board-surface');
    await surface.hover();
    await page.mouse.wheel(0, 10);
    const before = await surface.evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
    await demo.page.evaluate(() => {
      void window.__banister.chat.session.peek().send('Rename "Draw the logo" to "Logo"');
    });
    await expect(demo.card('Logo')).toHaveCount(1);
    expect(await surface.evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop])).toEqual(before);
  });

  test('the chat is a sheet whose height a button changes', { tag: '@full' }, async ({ demo, page }) => {
    await demo.open();
    const heightOf = async () => (await page.locator('.chat-sheet').boundingBox())!.height;
    await expect.poll(heightOf).toBeLessThanOrEqual(0.6 * 740 + 1);
    await expect(demo.button('Make the chat taller')).toHaveAttribute('aria-expanded', 'true');
    await expectTallHandle(demo.button('Make the chat taller'));
    await demo.button('Make the chat taller').click();
    await expect.poll(heightOf).toBeGreaterThan(680);
    await expectTallHandle(demo.button('Fold the chat'));
    await demo.button('Fold the chat').click();
    await expect(demo.button('Open the chat')).toHaveAttribute('aria-expanded', 'false');
    await expect(demo.conversation).toBeHidden();
    await expect(demo.message).toBeInViewport();
    await expectTallHandle(demo.button('Open the chat'));
    await expectAccessible(page);
    // A question to the user opens the chat.
    await demo.say('Delete "Draw the logo"');
    await expect(demo.approval(demo.confirmations)).toBeInViewport();
    await expect(demo.conversation).toBeVisible();
  });
});

test('with reduced motion, cards are at their places at once', async ({ demo, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await demo.open();
  await demo.ask('Move "Choose a name" to Doing');
  const played = await watchMotion(demo);
  await page.evaluate(() => window.__banister.chat.session.peek().undo());
  await expect(demo.card('Choose a name')).toContainText('Back from Doing');
  expect(await played()).toEqual([]);
});

test(
  'F6 moves through the parts of the page, and a link skips to the chat',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await page.keyboard.press('F6');
    await expect(demo.message).toBeFocused();
    await page.keyboard.press('F6');
    await expect(page.locator('.top-bar :focus')).toHaveCount(1);
    await page.keyboard.press('F6');
    await expect(page.locator('.board :focus')).toHaveText('Interview five customers');
    await page.keyboard.press('F6');
    await expect(demo.message).toBeFocused();
    await page.keyboard.press('Shift+F6');
    await expect(page.locator('.board :focus')).toHaveCount(1);
    await page.getByRole('link', { name: 'To the chat' }).press('Enter');
    await expect(demo.message).toBeFocused();
    await demo.say('Delete "Draw the logo"');
    await expect(demo.confirmations).toHaveCount(1);
    await page.locator('.board .card-title[tabindex="0"]').focus();
    await page.keyboard.press('F6');
    await expect(demo.confirmations).toBeFocused();
    // The key also works in the message field.
    await demo.message.focus();
    await page.keyboard.press('F6');
    await expect(demo.confirmations).toBeFocused();
  },
);
