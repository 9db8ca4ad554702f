import { expectLooks } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

const request = 'Prepare the release';
const question = 'Question: Launch asks: Publish the board for everyone';

const toggleOf = (demo: Demo, agent: string) => demo.lane(agent).locator('.step-toggle').first();

/** Asks for a release, and waits until a card of the agent that checks is there and others are not. */
async function underway(demo: Demo): Promise<void> {
  await demo.open('pace=fast&work=slow');
  await demo.say(request);
  await expect(demo.card('Try the update on a copy')).toBeVisible();
  await expect(demo.ghosts().first()).toBeVisible();
}

test('three agents work side by side, the others go on while the user is asked about a call of one, and one undo takes all back', async ({
  demo,
}) => {
  await demo.open();
  await demo.say(request);
  await expect(demo.lane('Notes')).toContainText('Completed · 2 changes');
  await expect(demo.lane('Checks')).toContainText('Completed · 4 changes');
  await expect(demo.lane('Launch')).toContainText('Asking');
  await expect(demo.confirmations).toHaveAccessibleName(question);
  await expect(demo.grip).toContainText('Waiting for you');
  await demo.approval().click();
  await demo.idle();
  await expect(demo.conversation).toContainText('Notes made 2 changes. Checks made 4 changes.');
  await expect(demo.lane('Launch')).toContainText('Completed · 1 cannot be taken back');
  for (const agent of ['Notes', 'Checks', 'Launch'])
    await expect(toggleOf(demo, agent)).toHaveAttribute('aria-expanded', 'false');
  await toggleOf(demo, 'Notes').click();
  await expect(demo.lane('Notes').locator('.answer strong')).toHaveText('Release 1.4');

  await demo.undo.click();
  await expect(demo.receipt).toContainText('6 of 7 changes taken back');
  await expect(demo.lane('Checks')).toContainText('Completed · taken back');
  await expect(demo.card('Try to go back')).toHaveCount(0);
  await demo.redo.click();
  await expect(demo.card('Try to go back')).toBeVisible();
});

test(
  'an agent that is stopped takes its changes back, and the others go on',
  { tag: '@full' },
  async ({ demo }) => {
    await underway(demo);
    await demo.button('Stop Checks').click();
    await demo.hurry();
    await expect(demo.lane('Checks')).toContainText(/Stopped · \d taken back/);
    await expect(demo.button('Stop Checks')).toHaveCount(0);
    await expect(demo.lane('Notes')).toContainText('Completed · 2 changes');
    await expect(demo.lane('Launch')).toContainText('Asking');
    await expect(demo.card('Try the update on a copy')).toHaveCount(0);
    await expect(demo.card('Take pictures for the notes')).toBeVisible();
    await expect(demo.ghosts()).toHaveCount(0);
    await demo.refusal().click();
    await demo.idle();
    await expect(demo.conversation).toContainText('You stopped Checks. Taken back: ');
  },
);

test('the changes of one agent are undone alone, and made again', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.say(request);
  await demo.approval().click();
  await demo.idle();
  await expect(demo.button('Undo Launch')).toHaveCount(0);
  await demo.button('Undo Checks').click();
  await expect(demo.lane('Checks')).toContainText('Completed · taken back');
  await expect(toggleOf(demo, 'Checks')).toBeFocused();
  await expect(demo.card('Try to go back')).toHaveCount(0);
  await expect(demo.card('Take pictures for the notes')).toBeVisible();
  await demo.button('Redo Checks').click();
  await expect(demo.card('Try to go back')).toBeVisible();
  await demo.button('Undo Notes').click();
  await expect(demo.card('Take pictures for the notes')).toHaveCount(0);
  await demo.undo.click();
  await expect(demo.card('Try to go back')).toHaveCount(0);
});

test('the user tells one agent something with the keyboard, and this agent alone reads it', async ({
  demo,
  page,
}) => {
  await demo.open('pace=fast&work=held');
  await demo.say(request);
  await expect(demo.lane('Launch')).toContainText('Asking');
  const places = () =>
    demo.conversation
      .locator('.lane')
      .evaluateAll((all) => all.map((lane) => lane.getBoundingClientRect().y));
  const tell = demo.button('Tell Notes something');
  const field = demo.lane('Notes').getByRole('textbox', { name: 'Tell Notes', exact: true });

  await tell.focus();
  const before = await places();
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  expect(await places()).toEqual(before);
  await page.keyboard.type('not this');
  await page.keyboard.press('Escape');
  await expect(tell).toBeFocused();
  await expect(demo.lane('Notes')).toContainText('Working');

  await page.keyboard.press('Enter');
  await expect(field).toHaveValue('');
  await page.keyboard.press('Enter');
  await expect(field).toBeFocused();
  await page.keyboard.type('shorter, for customers');
  await page.keyboard.press('Enter');
  await expect(tell).toBeFocused();
  await expect(demo.queue).toContainText('shorter, for customers');
  await expect(demo.queue).toContainText('For Notes, next step');

  await demo.hurry();
  await demo.refusal().click();
  await demo.idle();
  await expect(demo.queue).toHaveCount(0);
  await expect(demo.turns.locator('.steering')).toHaveCount(0);
  await toggleOf(demo, 'Notes').click();
  await toggleOf(demo, 'Checks').click();
  await expect(demo.turns.locator('.steering')).toHaveCount(1);
  await expect(demo.lane('Notes').locator('.steering')).toContainText('shorter, for customers');
  await expect(demo.lane('Notes')).toContainText('Your board opens in half the time');
  await expect(demo.lane('Notes').locator('.answer li')).toHaveCount(0);
});

test(
  'a message that waits for an agent can be removed, and its text stays if the agent is stopped first',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&work=held');
    await demo.say(request);
    await expect(demo.lane('Launch')).toContainText('Asking');
    const field = demo.lane('Notes').getByRole('textbox', { name: 'Tell Notes', exact: true });
    const tell = async (text: string) => {
      await demo.button('Tell Notes something').click();
      await field.fill(text);
      await demo.button('Send to Notes').click();
      await expect(demo.queue).toContainText(text);
    };
    await tell('longer');
    await (await demo.action(demo.queue, 'Remove')).press('Enter');
    await expect(demo.queue).toHaveCount(0);
    await tell('shorter');
    await demo.button('Stop Notes').click();
    await demo.hurry();
    await expect(demo.lane('Notes')).toContainText('Stopped');
    await expect(page.getByRole('status', { name: 'Guide' })).toContainText(
      'Notes ended before it could read your message.',
    );
    await expect(demo.message).toHaveValue('shorter');
    await demo.message.fill('');
    await demo.refusal().click();
    await demo.idle();
  },
);

test(
  'agents that a reload interrupted are in their lanes, and go on with Continue',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&work=slow');
    await demo.say(request);
    await demo.refusal().click();
    await expect(demo.card('Take pictures for the notes')).toBeVisible();
    await expect(demo.lane('Launch')).toContainText('Completed');
    await demo.reload();
    await expect(demo.lane('Checks')).toContainText('Interrupted');
    await expect(demo.button('Stop Checks')).toHaveCount(0);
    await expect(demo.lane('Launch')).toContainText('Completed');
    await demo.hurry();
    await demo.button('Continue').click();
    await demo.idle();
    await expect(demo.lane('Notes')).toContainText('Completed');
    await expect(demo.lane('Checks')).toContainText('Completed');
    await expect(demo.card('Take pictures for the notes')).toHaveCount(1);
    await expect(demo.conversation).toContainText('All of it is one turn');
  },
);

test(
  'a question of an agent is there after a reload, and its answer lets all agents go on',
  { tag: '@full' },
  async ({ demo }) => {
    await underway(demo);
    await demo.reload();
    await expect(demo.confirmations).toHaveAccessibleName(question);
    await expect(demo.lane('Checks')).toContainText('Interrupted');
    await demo.hurry();
    await demo.approval().click();
    await demo.idle();
    await expect(demo.lane('Launch')).toContainText('Completed · 1 cannot be taken back');
    await expect(demo.lane('Checks')).toContainText('Completed');
    await expect(demo.card('Try the update on a copy')).toHaveCount(1);
  },
);

test(
  'lanes are folded and stopped with the keyboard, and what becomes of an agent is read out',
  { tag: '@full' },
  async ({ demo, page }) => {
    await underway(demo);
    const said = await page.evaluateHandle(() => {
      const words: string[] = [];
      window.__banister.chat.cues.spoken.subscribe((last) => words.push(last));
      return words;
    });
    const toggle = toggleOf(demo, 'Checks');
    await toggle.focus();
    await page.keyboard.press('Enter');
    await expect(toggle).toHaveAttribute('aria-expanded', 'false');
    await expect(demo.lane('Checks').locator('.answer')).toHaveCount(0);
    await page.keyboard.press('Tab');
    await expect(demo.button('Tell Checks something')).toBeFocused();
    await page.keyboard.press('Tab');
    await expect(demo.button('Stop Checks')).toBeFocused();
    await page.keyboard.press('Enter');
    await demo.hurry();
    await expect(demo.lane('Checks')).toContainText('Stopped');
    await expect
      .poll(() => said.evaluate((words) => words.join('\n')))
      .toMatch(/Checks: Stopped, \d taken back\./);
    // The button that had the focus is gone.
    await expect(demo.button('Stop Checks')).toHaveCount(0);
    await expect(toggle).toBeFocused();
    await page.keyboard.press('F6');
    await expect(demo.confirmations).toBeFocused();
    await demo.answerByKey('n');
    await demo.idle();
  },
);

for (const [width, height] of [
  [360, 740],
  [1440, 900],
] as const) {
  test.describe(`at ${width}x${height}`, () => {
    test.use({ viewport: { width, height } });

    test(
      'lanes and their buttons are in sight, and accessible in light and dark mode',
      { tag: '@full' },
      async ({ demo, page }) => {
        await demo.open('pace=fast&work=held');
        await demo.say(request);
        await expect(demo.confirmations).toHaveAccessibleName(question);
        await expectLooks(page);
        await demo.refusal().click();
        await expect(demo.lane('Launch')).toContainText('Completed');
        await expectLooks(page);
        await demo.button('Tell Notes something').click();
        await expectLooks(page);
        await demo.lane('Notes').getByRole('textbox', { name: 'Tell Notes' }).press('Escape');
        for (const agent of ['Notes', 'Checks']) {
          const stop = demo.button(`Stop ${agent}`);
          await stop.scrollIntoViewIfNeeded();
          await expect(stop).toBeInViewport({ ratio: 1 });
          await expect(toggleOf(demo, agent)).toBeInViewport({ ratio: 1 });
        }
        await demo.hurry();
        await demo.idle();
        for (const agent of ['Notes', 'Checks', 'Launch']) await toggleOf(demo, agent).click();
        await expectLooks(page);
      },
    );
  });
}
