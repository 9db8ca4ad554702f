import { expectLooks } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

const request = 'Plan the release';

const plan = ({ conversation }: Demo) =>
  conversation.getByRole('group', { name: 'Plan “Release 1.4”', exact: true });
const steps = (demo: Demo) => plan(demo).getByRole('list', { name: 'Steps' }).locator('> li');
const titles = (demo: Demo) => demo.page.getByRole('textbox', { name: /^Title of step / });
const titleOf = (demo: Demo, number: number) =>
  demo.page.getByRole('textbox', { name: `Title of step ${number}`, exact: true });
const inGrip = ({ grip }: Demo, name: string) => grip.getByRole('button', { name, exact: true });

async function expectOrder(demo: Demo, ...order: readonly string[]): Promise<void> {
  await expect(titles(demo)).toHaveCount(order.length);
  for (const [index, title] of order.entries()) await expect(titleOf(demo, index + 1)).toHaveValue(title);
}

/** Asks for a plan, and waits for the question about it. */
async function proposed(demo: Demo, query = 'pace=fast'): Promise<void> {
  await demo.open(query);
  await demo.say(request);
  await expect(titles(demo)).toHaveCount(5);
}

test('a plan is changed in the question, approved in the grip, and its steps are carried out in lanes; undo takes back one step, then the turn', async ({
  demo,
  page,
}) => {
  await proposed(demo);
  await expect(demo.confirmations).toHaveAccessibleName('Question: Plan “Release 1.4”');
  await expect(demo.conversation).toContainText('Read the skill release-notes');
  await titleOf(demo, 1).fill('Write the notes for customers');
  await expect(demo.confirmations).toContainText('You renamed 1 step.');
  // By its handle, to the end.
  const handle = demo.button('Move: Announce the release');
  const { x, y } = (await handle.boundingBox())!;
  const end = (await demo.button('Move: Publish the board').boundingBox())!;
  await page.mouse.move(x + 10, y + 10);
  await page.mouse.down();
  await page.mouse.move(x + 10, end.y + end.height, { steps: 5 });
  await page.mouse.up();
  await demo.button('Remove: Rehearse going back').click();
  await expectOrder(
    demo,
    'Write the notes for customers',
    'Add the checks',
    'Publish the board',
    'Announce the release',
  );
  await page.getByRole('combobox', { name: 'Agent of Publish the board' }).selectOption('Launch');
  await inGrip(demo, 'Approve plan').click();

  await expect(plan(demo)).toContainText('You renamed 1 step, moved 1 and removed 1.');
  await expect(demo.confirmations).toHaveAccessibleName(
    'Question: Launch asks: Publish the board for everyone',
  );
  await expect(inGrip(demo, 'Approve plan')).toHaveCount(0);
  await expect(demo.lane('Write the notes for customers')).toContainText('Completed · 2 changes');
  await demo.refusal().click();
  await demo.idle();
  await expect(plan(demo)).toContainText('4 of 4 steps done');
  await expect(demo.conversation).toContainText('All 4 steps are done, with 7 changes.');

  await demo.button('Undo “Add the checks”').click();
  await expect(demo.lane('Add the checks')).toContainText('taken back');
  await expect(demo.card('Try to go back')).toHaveCount(0);
  await expect(demo.card('Take pictures for the notes')).toBeVisible();
  await demo.undo.click();
  await expect(plan(demo)).toHaveAttribute('data-state', 'undone');
  await demo.toggleReceipt();
  await expect(demo.receipt).toContainText('Taken back · Write the notes for customers');
  await expect(demo.card('Take pictures for the notes')).toHaveCount(0);
  await demo.redo.click();
  await expect(demo.card('Take pictures for the notes')).toBeVisible();
});

test('the steps of a plan appear one by one, and Stop ends it', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=human');
  await demo.say(request);
  for (const count of [1, 2, 3]) await expect(steps(demo)).toHaveCount(count);
  await expect(plan(demo)).toContainText('Writing');
  await expect(demo.status).toContainText('Writing a plan…');
  await demo.stop.click();
  await demo.idle();
  await expect(plan(demo)).toContainText('Not started');
  await expect(steps(demo).first()).toContainText('Write the notes');
});

test('everything is done with the keyboard: rename, move, give to another agent, remove, put back, approve', async ({
  demo,
  page,
}) => {
  await proposed(demo);
  await page.keyboard.press('F6');
  await expect(demo.confirmations).toBeFocused();
  const handle = demo.button('Move: Announce the release');
  await handle.focus();
  for (const place of [2, 3]) {
    await page.keyboard.press('ArrowDown');
    await expect(titleOf(demo, place + 1)).toHaveValue('Announce the release');
    await expect(handle).toBeFocused();
  }
  await page.keyboard.press('Tab');
  await expect(titleOf(demo, 4)).toBeFocused();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('Tell everyone');
  await page.keyboard.press('Enter');
  await expect(titleOf(demo, 4)).toHaveValue('Tell everyone');

  await page.keyboard.press('Tab');
  await expect(demo.button('Remove: Tell everyone')).toBeFocused();
  await page.keyboard.press('Tab');
  const agent = page.getByRole('combobox', { name: 'Agent of Tell everyone' });
  await expect(agent).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(agent).toHaveValue('1');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await demo.button('Move up: Tell everyone').press('Enter');
  await expect(demo.button('Move up: Tell everyone')).toBeFocused();
  await expectOrder(
    demo,
    'Write the notes',
    'Add the checks',
    'Tell everyone',
    'Rehearse going back',
    'Publish the board',
  );

  await demo.button('Remove: Add the checks').press('Enter');
  const back = demo.button('Put back: Add the checks');
  await expect(back).toBeFocused();
  await expect(titles(demo)).toHaveCount(4);
  await page.keyboard.press('Enter');
  await expect(demo.button('Move: Add the checks')).toBeFocused();
  await expect(titles(demo)).toHaveCount(5);
  await demo.button('Remove: Publish the board').press('Enter');
  await demo.answerByKey('Control+Enter');
  await demo.idle();
  await expect(plan(demo)).toContainText(
    'You renamed 1 step, gave 1 to another agent, moved 1 and removed 1.',
  );
  await expect(demo.lane('Tell everyone')).toContainText('Checks');
  await expect(demo.conversation).toContainText('All 4 steps are done');
});

test('a step that is stopped goes back, the step that follows it is skipped, and a message steers another step', async ({
  demo,
}) => {
  await proposed(demo, 'pace=fast&work=slow');
  await demo.approval().click();
  await demo.refusal().click();
  await demo.button('Tell Notes about “Write the notes”').click();
  await demo
    .lane('Write the notes')
    .getByRole('textbox', { name: 'Tell Notes' })
    .fill('shorter, for customers');
  await demo.button('Send to Notes').click();
  await expect(demo.card('Try the update on a copy')).toBeVisible();
  await expect(steps(demo).nth(3)).toContainText('Waits for “Add the checks”');
  await demo.button('Stop “Add the checks”').click();
  await demo.hurry();
  await expect(demo.lane('Add the checks')).toContainText(/Stopped · \d taken back/);
  await demo.idle();
  await expect(steps(demo).nth(3)).toContainText('Skipped: it follows “Add the checks”');
  await expect(demo.card('Try the update on a copy')).toHaveCount(0);
  await expect(demo.card('Post the announcement of 1.4')).toBeVisible();
  await expect(demo.conversation).toContainText('3 of 5 steps are done, with 3 changes.');
  await demo.lane('Write the notes').locator('.step-toggle').first().click();
  await expect(demo.lane('Write the notes')).toContainText('Your board opens in half the time');
});

test(
  'a plan that is declined is shown as declined, and nothing was done',
  { tag: '@full' },
  async ({ demo }) => {
    await proposed(demo);
    await demo.refusal().click();
    await demo.idle();
    await expect(plan(demo)).toHaveAttribute('data-state', 'refused');
    await expect(plan(demo)).toContainText('You refused');
    await expect(steps(demo)).toHaveCount(5);
    await expect(demo.conversation).toContainText('You said no to the plan, so nothing was done.');
  },
);

test('after a reload a plan goes on at its open steps, and no card is added twice', async ({ demo }) => {
  await proposed(demo, 'pace=fast&work=slow');
  await titleOf(demo, 1).fill('Write them');
  await demo.approval().click();
  await demo.refusal().click();
  await expect(demo.card('Take pictures for the notes')).toBeVisible();
  await expect(demo.lane('Publish the board')).toContainText('Completed');
  await demo.reload();
  await expect(demo.lane('Write them')).toContainText('Interrupted');
  await expect(demo.lane('Publish the board')).toContainText('Completed');
  await expect(steps(demo).nth(1)).toContainText('Not started');
  await expect(plan(demo)).toContainText('You renamed 1 step.');
  await demo.hurry();
  await demo.button('Continue').click();
  await demo.idle();
  await expect(plan(demo)).toContainText('5 of 5 steps done');
  await expect(demo.card('Take pictures for the notes')).toHaveCount(1);
  await expect(demo.card('Post the announcement of 1.4')).toHaveCount(1);
});

test(
  'a plan that waits for the user is in the question again after a reload',
  { tag: '@full' },
  async ({ demo }) => {
    await proposed(demo);
    await demo.reload();
    await expect(titles(demo)).toHaveCount(5);
    await demo.approval().click();
    await demo.refusal().click();
    await demo.idle();
    await expect(plan(demo)).toContainText('5 of 5 steps done');
  },
);

test(
  '“Watch a plan” plays a plan by itself, and ends on the visitor’s turn',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.button('Watch a plan').click();
    await expect(page.getByRole('status', { name: 'Guide' })).toContainText('Your turn', { timeout: 60_000 });
    await expect(demo.lane('Write the notes for customers')).toContainText('taken back');
  },
);

for (const [width, height] of [
  [360, 740],
  [1440, 900],
] as const) {
  test.describe(`at ${width}x${height}`, () => {
    test.use({ viewport: { width, height } });

    test(
      'the question about a plan and its lanes are in sight, and accessible in light and dark mode',
      { tag: '@full' },
      async ({ demo, page }) => {
        await demo.open('pace=fast&work=slow');
        await demo.say(request);
        await expect(titles(demo)).toHaveCount(5);
        await demo.button('Remove: Rehearse going back').click();
        await page.getByRole('button', { name: /^Task of Write the notes: / }).click();
        await expectLooks(page);
        const handle = demo.button('Move: Write the notes');
        await handle.scrollIntoViewIfNeeded();
        await expect(handle).toBeInViewport({ ratio: 1 });
        await expect(demo.approval()).toBeInViewport({ ratio: 1 });
        await demo.approval().click();
        await demo.refusal().click();
        await expect(demo.lane('Publish the board')).toContainText('Completed');
        await expectLooks(page);
        await demo.hurry();
        await demo.idle();
        await expectLooks(page);
      },
    );
  });
}
