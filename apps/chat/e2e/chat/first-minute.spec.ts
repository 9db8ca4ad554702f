// The first minute of a visitor: the scenario, the guide line of the page, and typed commands.
import type { Locator } from '@playwright/test';
import { expectAccessible, expectNoSidewaysScroll } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

const guide = ({ page }: Demo): Locator => page.getByRole('status', { name: 'Guide' });
const yourTurn = 'Your turn.';

/** Waits for the guide line while the scenario waits for its reader, as long as the test needs. */
async function held(demo: Demo): Promise<void> {
  await demo.open('pace=fast&watch=held');
  await demo.button('Watch a turn').click();
  await expect(guide(demo)).toContainText('Now Stop, half-way');
  await demo.idle();
}

test('audit-V3 “Watch a turn” plays the first minute by itself, and ends on the visitor’s turn', async ({
  demo,
}) => {
  // Tools are slow, so that the turn still runs when the guide presses Stop.
  await demo.open('pace=fast&work=slow');
  const [todo, done] = [await demo.titles('Todo'), await demo.titles('Done')];
  // Collects every line, because a line may be gone before a slow machine looks.
  await guide(demo).evaluate((region) => {
    const lines: string[] = [];
    Object.assign(window, { lines });
    new MutationObserver(() => lines.push(region.textContent)).observe(region, {
      subtree: true,
      childList: true,
    });
  });
  await demo.button('Watch a turn').click();
  // The button was removed.
  await expect(demo.message).toBeFocused();
  await expect(guide(demo)).toContainText(yourTurn);
  const lines = await demo.page.evaluate(() => (window as unknown as { lines: string[] }).lines);
  const order = [
    'each card grows while it is written',
    'Now Stop, half-way',
    'The new cards slid back',
    '“Tidy up Done”. It asks before it deletes.',
    'the first is refused',
    'Undo says what it takes back: “Tidy up Done”',
    'All of that turn is back',
    '“Undo that”, typed',
    'React can become Vue',
    yourTurn,
  ].map((words) => lines.findIndex((line) => line.includes(words)));
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
  await demo.idle();
  // Planning the week was stopped, and the deleted cards are back.
  expect(await demo.titles('Todo')).toEqual(todo);
  expect(await demo.titles('Done')).toEqual(done);
  await expect(demo.turns).toHaveCount(2);
});

test('cards appear on the board before the agent writes text, and Stop in the middle removes them', async ({
  demo,
}) => {
  await demo.open('pace=slow&watch=held');
  const before = await demo.titles('Todo');
  await demo.button('Watch a turn').click();
  await expect(demo.ghosts().first()).toBeVisible();
  await expect(demo.conversation.locator('.answer')).toHaveCount(0);
  await expect(guide(demo)).toContainText('each card grows');
  // The guide line is below the cards that it is about. For a screen reader, it is in the region of the chat.
  await expect(demo.board.locator('.guide-words')).toBeVisible();
  await expect(guide(demo)).toContainText('Now Stop, half-way', { timeout: 60_000 });
  await demo.stop.click();
  await expect(guide(demo)).toContainText(yourTurn);
  await demo.hurry();
  await demo.idle();
  await expect(demo.status).toHaveText(/^Stopped/);
  expect(await demo.titles('Todo')).toEqual(before);
  await expect(demo.turns).toHaveCount(1);
});

const inputs: readonly (readonly [name: string, give: (demo: Demo) => Promise<void>])[] = [
  ['a key', ({ page }) => page.keyboard.press('Escape')],
  ['a pointer', ({ page }) => page.mouse.click(2, 2)],
  ['text', async ({ message }) => message.fill('Add')],
];

for (const [name, give] of inputs) {
  const tag = name === 'a key' ? [] : ['@full'];
  test(`the visitor takes over from the scenario with ${name}`, { tag }, async ({ demo }) => {
    await held(demo);
    await give(demo);
    await expect(guide(demo)).toContainText(yourTurn);
    await expect(demo.turns).toHaveCount(1);
    // The guide line disappears with the next message.
    await demo.ask('What is on the board?');
    await expect(guide(demo)).toBeEmpty();
    await expect(demo.turns).toHaveCount(2);
  });
}

test(
  'the first minute can be started with the keyboard, and that press does not end it',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&watch=held');
    await demo.button('Watch a turn').focus();
    await page.keyboard.down('Enter');
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await expect(guide(demo)).toContainText('Now Stop, half-way');
    await page.keyboard.press('Control');
    await expect(guide(demo)).toContainText('Now Stop, half-way');
    await page.keyboard.press('Tab');
    await expect(guide(demo)).toContainText(yourTurn);
  },
);

test('typing “undo that” or “redo” does the same as the buttons, and sends no message', async ({ demo }) => {
  await demo.open();
  await demo.ask('Add a card "Tea" to Todo');
  await demo.message.fill('Undo that.');
  await demo.message.press('Enter');
  await expect(demo.card('Tea')).toHaveCount(0);
  await expect(guide(demo)).toContainText(
    'The page took “Add a card "Tea" to Todo” back. No message was sent',
  );
  await expect(demo.message).toHaveValue('');
  await expect(demo.turns).toHaveCount(1);
  await demo.message.fill('redo');
  await demo.message.press('Enter');
  await expect(demo.card('Tea')).toBeVisible();
  await expect(demo.turns).toHaveCount(1);
});

test(
  'the rules explain their last changes, and leave out a card on request',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('Plan the launch week');
    await demo.ask('why?');
    await expect(demo.conversation.locator('.answer').last()).toContainText(
      'You wrote “Plan the launch week”.',
    );
    await demo.message.fill('without the announcement');
    await demo.message.press('Enter');
    await expect(demo.turns).toHaveCount(3);
    await demo.idle();
    await expect(demo.card('Send the announcement')).toHaveCount(0);
    await expect(demo.card('Brief the support team')).toBeVisible();
    await expect(demo.conversation).toContainText('Plan the launch week, without “Send the announcement”');
  },
);

test(
  'the welcome and the line have no accessibility violation, in light and in dark, and fit 360 and 320 pixels',
  { tag: '@full' },
  async ({ demo, page }) => {
    const look = async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
      }
    };
    await demo.open('pace=fast&watch=held');
    await expect(demo.button('Watch a turn')).toHaveAccessibleDescription(
      'Half a minute. Any key or click takes over.',
    );
    await look();
    await page.setViewportSize({ width: 360, height: 740 });
    await expectNoSidewaysScroll(page);
    await expect(demo.message).toBeInViewport();
    await demo.button('Watch a turn').click();
    await expect(guide(demo)).toContainText('Now Stop, half-way');
    await demo.idle();
    await expectNoSidewaysScroll(page);
    await expect(guide(demo)).toBeInViewport();
    await page.setViewportSize({ width: 320, height: 256 });
    await expectNoSidewaysScroll(page);
    await guide(demo).scrollIntoViewIfNeeded();
    await expect(guide(demo)).toBeInViewport();
    await page.setViewportSize({ width: 1280, height: 720 });
    await look();
    await page.keyboard.press('Escape');
    await expect(guide(demo)).toContainText(yourTurn);
    await look();
  },
);

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('the guide line does not move', { tag: '@full' }, async ({ demo }) => {
    await held(demo);
    const moving = await guide(demo)
      .locator('.guide-words')
      .evaluate((element) => element.getAnimations().length);
    expect(moving).toBe(0);
  });
});
