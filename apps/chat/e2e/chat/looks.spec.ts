import { expectAccessible, expectNoSidewaysScroll } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

const picker = ({ page }: Demo) => page.getByRole('combobox', { name: 'Provider' });

/** Every state of the page. Each state lasts until the user acts, or long enough to be examined. */
const states: readonly (readonly [name: string, query: string, reach: (demo: Demo) => Promise<void>])[] = [
  ['empty', 'pace=fast', () => Promise.resolve()],
  [
    'thinking',
    'pace=fast&fault=stall-thinking',
    async (demo) => {
      await demo.say('Add a card "Tea" to Todo');
      await expect(demo.conversation.locator('.thinking')).toContainText('They want a card');
    },
  ],
  [
    'streaming',
    'pace=fast&fault=stall',
    async (demo) => {
      await demo.say('Add a card "**Seen** for a `moment`" to Todo');
      await expect(demo.conversation.locator('.answer strong')).toHaveText('Seen');
      await demo.phase('streaming');
    },
  ],
  [
    'assembling arguments',
    'pace=fast&fault=stall-call',
    async (demo) => {
      await demo.say('Add a card "Water the plants in the meeting room" to Doing');
      await expect(demo.ghosts()).toContainText('Water');
    },
  ],
  [
    'confirming one call',
    'pace=fast',
    async (demo) => {
      await demo.say('Publish the board for everyone');
      await expect(demo.confirmations).toContainText('Cannot be taken back');
      await demo.confirmations.getByRole('button', { name: 'Add Mail' }).click();
      await demo.confirmations.getByRole('textbox', { name: 'Note' }).fill('x'.repeat(201));
      await expect(demo.approval()).toHaveAttribute('aria-disabled', 'true');
      await demo.confirmations.locator('.remember > summary').click();
      await demo.confirmations.getByRole('radio', { name: 'Always' }).check();
    },
  ],
  [
    'confirming three calls',
    'pace=fast',
    async (demo) => {
      await demo.say('Delete three cards from Done');
      await expect(demo.confirmations).toHaveCount(3);
    },
  ],
  [
    'a tool running',
    'pace=fast&work=slow',
    async (demo) => {
      await demo.say('Publish the board');
      await demo.approval().click();
      await expect(demo.tool('board.publish_board')).toContainText('of 8');
    },
  ],
  [
    'cancelled, with its receipt',
    'pace=fast&fault=stall',
    async (demo) => {
      await demo.say('Add cards "One" and "Two" to Todo');
      await expect(demo.card('Two')).toBeVisible();
      await demo.phase('streaming');
      await demo.stop.click();
      await demo.idle();
      await expect(demo.receipt).toContainText('Taken back');
    },
  ],
  [
    'failed, with Retry',
    'pace=fast&fault=error',
    async (demo) => {
      await demo.ask('Add a card "Fix the footer" to Todo');
      await expect(demo.button('Try again')).toBeVisible();
    },
  ],
  [
    'asking about Undo',
    'pace=fast',
    async (demo) => {
      await demo.ask('Add a card "First" to Todo');
      await demo.ask('Rename "First" to "Last"');
      await demo.turns.first().getByRole('button', { name: 'Undo this turn' }).press('Enter');
      await expect(demo.button('Undo both')).toBeVisible();
    },
  ],
  [
    'choosing a provider',
    'pace=fast',
    async (demo) => {
      await demo.ask('List the cards');
      await picker(demo).selectOption('OpenAI-compatible');
      await expect(demo.page.getByRole('form', { name: 'Provider settings' })).toBeVisible();
    },
  ],
  [
    'another version, with what stays',
    'pace=fast',
    async (demo) => {
      await demo.ask('Add cards "One" and "Two" to Todo');
      await demo.button('Regenerate').press('Enter');
      await demo.idle();
      await demo.button('Previous version').click();
      await demo.page.getByText('Which changes').click();
      await expect(demo.notice).toContainText('In effect, from another version');
    },
  ],
  [
    'asking about what cannot be taken back, with the message open',
    'pace=fast',
    async (demo) => {
      await demo.say('Publish the board');
      await demo.approval().click();
      await demo.idle();
      await demo.message.press('ArrowUp');
      await demo.button('Save').click();
      await expect(demo.notice).toContainText('Published the board for the team');
    },
  ],
  [
    'a queue behind a turn that was steered, with a row open',
    'pace=fast&work=slow',
    async (demo) => {
      await demo.say('Plan a product launch');
      await demo.phase('executing');
      for (const [text, keys] of [
        ['Add a card "One" to Todo', 'Enter'],
        ['Add a card "Two" to Todo', 'Enter'],
        ['Publish the board', 'Control+Enter'],
      ] as const) {
        await demo.message.fill(text);
        await demo.message.press(keys);
      }
      // The message joins the turn, and its question stays open.
      await demo.hurry();
      await expect(demo.confirmations).toContainText('Cannot be taken back');
      await demo.message.fill('Be careful');
      await demo.message.press('Control+Enter');
      await demo.message.fill('And then');
      await expect(demo.queue).toHaveCount(3);
      await (await demo.action(demo.queue.last(), 'Edit')).press('Enter');
    },
  ],
  [
    'undone, with everything open',
    'pace=fast',
    async (demo) => {
      await demo.ask('Plan a product launch');
      await demo.undo.click();
      await expect(demo.receipt).toBeVisible();
      await demo.openGroups();
      await demo.tool('board.add_card').first().getByRole('button').click();
      await demo.button('Shortcuts').click();
      await demo.button('How it works').click();
      await picker(demo).selectOption('OpenAI-compatible');
    },
  ],
];

// The state with most of a view's own markup. It is checked in every run.
const fullest = 'undone, with everything open';

for (const [name, query, reach] of states) {
  const tag = name === fullest ? [] : ['@full'];
  test(
    `no accessibility violation in light and dark mode, and nothing overflows at 360 pixels: ${name}`,
    {
      tag,
    },
    async ({ demo, page }) => {
      await demo.open(query);
      await reach(demo);
      await page.emulateMedia({ colorScheme: 'light' });
      await expectAccessible(page);
      // Only the colours differ.
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page, ['color-contrast']);
      await page.setViewportSize({ width: 360, height: 740 });
      await expectNoSidewaysScroll(page);
      // A question replaces the message field.
      const isAsked = (await demo.page.locator('.questions').count()) > 0;
      await expect(isAsked ? demo.approval() : demo.message).toBeInViewport();
    },
  );
}

test.describe('with reduced motion', () => {
  test.use({ contextOptions: { reducedMotion: 'reduce' } });

  test('nothing moves', { tag: '@full' }, async ({ demo, page }) => {
    await demo.open('pace=slow');
    await demo.say('Add a card "Quietly" to Doing');
    await expect(demo.ghosts()).toBeVisible();
    const moving = await page.evaluate(
      () =>
        document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().endTime) > 1).length,
    );
    expect(moving).toBe(0);
    await demo.hurry();
    await demo.idle();
    await expect(demo.card('Quietly')).toBeVisible();
  });
});
