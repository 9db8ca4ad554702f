import { expect, test, type Demo } from '../fixture.js';
import { keepInTab, longConversation } from '../long-conversation.js';

const TURNS = 1_000;

// No trace: it would copy the whole conversation at each step.
test.use({ trace: 'off' });

test.beforeEach(({ page }) => keepInTab(page, longConversation(TURNS)));

const drawn = (demo: Demo) => demo.conversation.locator('[data-markdown]');
const turns = (demo: Demo) => demo.conversation.getByRole('article');

const fromEnd = (demo: Demo) =>
  demo.conversation.evaluate((log) => Math.round(log.scrollHeight - log.scrollTop - log.clientHeight));

/** Returns the position on the screen of the first turn that begins in sight. */
const placeOf = (demo: Demo, question?: string) =>
  demo.conversation.evaluate(async (log, wanted) => {
    // After these frames, the elements that the last scroll showed are drawn and measured.
    for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame);
    const top = log.getBoundingClientRect().top;
    const messages = [...log.querySelectorAll<HTMLElement>('.user-message')];
    const found = messages.find((message) =>
      wanted ? message.textContent === wanted : message.getBoundingClientRect().top > top,
    )!;
    return { question: found.textContent, top: Math.round(found.getBoundingClientRect().top) };
  }, question);

test.describe('a conversation of 2,000 messages', () => {
  test('opens at its end, and draws only what a reader can see soon', { tag: '@full' }, async ({ demo }) => {
    await demo.open();
    await expect(
      turns(demo)
        .last()
        .getByRole('heading', { name: `Answer ${TURNS}` }),
    ).toBeInViewport();
    await expect(turns(demo)).toHaveCount(TURNS);
    expect(await fromEnd(demo)).toBeLessThanOrEqual(1);
    expect(await drawn(demo).count()).toBeLessThan(40);
  });

  test(
    'is complete for a search and a screen reader, although most of it is not drawn',
    { tag: '@full' },
    async ({ demo, page }) => {
      await demo.open();
      await expect(turns(demo)).toHaveCount(TURNS);
      await expect(drawn(demo).first()).toBeAttached();
      expect(await turns(demo).nth(36).ariaSnapshot()).toContain('What there is to say about question 37,');
      // Searches backwards, because the reader is at the end.
      const found = await page.evaluate(() => {
        const { find } = window as unknown as { find(text: string, caseSensitive: boolean, backwards: boolean): boolean }; // prettier-ignore
        return find('question 37,', true, true) ? getSelection()!.anchorNode!.parentElement!.closest('article') !== null : false; // prettier-ignore
      });
      expect(found).toBe(true);
      await page.evaluate(() => getSelection()!.anchorNode!.parentElement!.scrollIntoView());
      await expect(turns(demo).nth(36).getByRole('heading', { name: 'Answer 37' })).toBeInViewport();
      expect(await drawn(demo).count()).toBeLessThan(80);
    },
  );

  test(
    "keeps a reader's place while earlier turns are added, while they scroll up, and while text streams",
    { tag: '@full' },
    async ({ demo, page }) => {
      await demo.open('pace=slow');
      await expect(drawn(demo).last()).toBeVisible();
      await demo.conversation.hover();
      await page.mouse.wheel(0, -1_500);
      let before = await placeOf(demo);
      await expect(turns(demo)).toHaveCount(TURNS);
      expect(await placeOf(demo, before.question)).toEqual(before);

      for (let steps = 0; steps < 12; steps++) {
        before = await placeOf(demo);
        await demo.conversation.evaluate((log) => log.scrollBy({ top: -170, behavior: 'instant' }));
        const after = await placeOf(demo, before.question);
        expect(Math.abs(after.top - before.top - 170), `step ${steps}`).toBeLessThanOrEqual(2);
      }

      before = await placeOf(demo);
      await demo.say('help');
      await expect(demo.conversation.locator('.answer').last()).toContainText('No model here');
      expect(await placeOf(demo, before.question)).toEqual(before);
      await demo.hurry();
      await demo.idle();
      expect(await placeOf(demo, before.question)).toEqual(before);
    },
  );

  test(
    'can be read by keyboard: to its beginning, back to its end, and link by link',
    { tag: '@full' },
    async ({ demo, page }) => {
      await demo.open();
      await expect(turns(demo)).toHaveCount(TURNS);
      await demo.conversation.focus();
      await page.keyboard.press('Home');
      await expect(turns(demo).first().getByRole('heading', { name: 'Answer 1' })).toBeInViewport();
      await page.keyboard.press('End');
      await expect(
        turns(demo)
          .last()
          .getByRole('heading', { name: `Answer ${TURNS}` }),
      ).toBeInViewport();
      await expect.poll(() => fromEnd(demo)).toBeLessThanOrEqual(1);

      await turns(demo).last().getByRole('link').focus();
      const links = () => page.evaluate(() => document.activeElement?.getAttribute('href'));
      for (let number = TURNS; number > TURNS - 15;) {
        if ((await links())?.startsWith('https:'))
          expect(await links()).toBe(`https://docs.example/${number--}`);
        await page.keyboard.press('Shift+Tab');
        await placeOf(demo);
      }

      // At the end of the conversation, new text is followed again.
      await demo.conversation.focus();
      await page.keyboard.press('End');
      await expect.poll(() => fromEnd(demo)).toBeLessThanOrEqual(1);
      await demo.ask('help');
      await expect.poll(() => fromEnd(demo)).toBeLessThanOrEqual(1);
      await expect(turns(demo).last()).toContainText('without a key and without a network');
    },
  );
});

test(
  'V13 a message of 5,000 words is folded until the reader unfolds it, also with the keyboard',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask(`List the cards ${'word '.repeat(5_000)}`);
    const message = demo.conversation.locator('.user-message').last();
    const height = async () => (await message.boundingBox())!.height;
    expect(await height()).toBeLessThan(400);
    const toggle = demo.button('Show all');
    await expect(toggle).toHaveAttribute('aria-expanded', 'false');
    await toggle.press('Enter');
    expect(await height()).toBeGreaterThan(4_000);
    await expect(demo.button('Show less')).toBeFocused();
    await demo.button('Show less').press('Enter');
    expect(await height()).toBeLessThan(400);
    // A short conversation has no such button.
    await demo.ask('List the cards');
    await expect(demo.button('Show all')).toHaveCount(1);
  },
);
