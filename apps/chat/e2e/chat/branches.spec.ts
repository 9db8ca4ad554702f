import { expectAccessible } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

const editor = ({ page }: Demo) => page.getByRole('textbox', { name: 'Your message' });
const position = ({ conversation }: Demo) =>
  conversation.getByRole('group', { name: 'Versions' }).locator('.versions-position');

/** Presses the pencil of the last message. */
async function edit(demo: Demo): Promise<void> {
  await demo.turns.last().hover();
  await demo.turns.last().getByRole('button', { name: 'Edit message' }).click();
  await expect(editor(demo)).toBeFocused();
}

test('a message is edited in its place, and the board is adapted to another version on request', async ({
  demo,
  page,
}) => {
  await demo.open();
  await demo.ask('Add a card "Tea" to Todo');
  await edit(demo);
  await expect(editor(demo)).toHaveValue('Add a card "Tea" to Todo');
  await expect(demo.conversation).toContainText('Saving takes back 1 change on the board.');
  await editor(demo).fill('Add a card "Coffee" to Todo');
  await editor(demo).press('Enter');
  await expect(demo.card('Coffee')).toBeVisible();
  await demo.idle();
  await expect(demo.card('Tea')).toHaveCount(0);
  await expect(demo.turns).toHaveCount(1);
  await expect(demo.message).toBeFocused();
  await expect(position(demo)).toHaveText('2 / 2');

  await demo.button('Previous version').press('Enter');
  await expect(position(demo)).toHaveText('1 / 2');
  await expect(demo.conversation.locator('.user-message')).toHaveText('Add a card "Tea" to Todo');
  // There is no earlier version, so the other button has the focus.
  await expect(demo.button('Previous version')).toBeDisabled();
  await expect(demo.button('Next version')).toBeFocused();
  await expect(demo.card('Coffee')).toBeVisible();
  await expect(demo.status).toHaveText('The board still shows attempt 2');
  await expect(demo.grip).toHaveAttribute('data-tone', 'ask');
  await expectAccessible(page);

  await demo.grip.getByRole('button', { name: 'Switch the board' }).press('Enter');
  await expect(demo.card('Tea')).toBeVisible();
  await expect(demo.card('Coffee')).toHaveCount(0);
  await expect(demo.notice).toHaveCount(0);
  await expect(demo.message).toBeFocused();
});

test(
  'Escape cancels an edit and gives the focus back, and the arrow up edits the last message',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask('hello');
    await demo.ask('thanks');
    await demo.turns.first().getByRole('button', { name: 'Edit message' }).press('Enter');
    await editor(demo).fill('help');
    await page.keyboard.press('Escape');
    await expect(editor(demo)).toHaveCount(0);
    await expect(demo.turns.first().getByRole('button', { name: 'Edit message' })).toBeFocused();
    await expect(demo.conversation.locator('.user-message')).toHaveText(['hello', 'thanks']);

    await demo.message.focus();
    await page.keyboard.press('ArrowUp');
    await expect(editor(demo)).toBeFocused();
    await expect(editor(demo)).toHaveValue('thanks');
    await page.keyboard.type('!');
    await expect(editor(demo)).toHaveValue('thanks!');
    await page.keyboard.press('Escape');
    await expect(demo.message).toBeFocused();
    // In a message that the user has begun, the key belongs to the text.
    await page.keyboard.type('h');
    await page.keyboard.press('ArrowUp');
    await expect(editor(demo)).toHaveCount(0);
  },
);

test(
  'after a switch the focus stays in the message that is being written, even without keys, as with speech input',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('hello');
    await demo.button('Regenerate').click();
    await expect(position(demo)).toHaveText('2 / 2');
    await demo.idle();
    await demo.button('Previous version').click();
    await expect(demo.button('Next version')).toBeFocused();
    await demo.message.fill('thanks');
    await expect(demo.send).toBeEnabled();
    await expect(demo.message).toBeFocused();
    await demo.message.press('Enter');
    await expect(demo.turns).toHaveCount(2);
    await demo.idle();
  },
);

test('an answer is regenerated several times, and each version is reached with the keyboard', async ({
  demo,
  page,
}) => {
  await demo.open();
  await demo.ask('Add a card "Tea" to Todo');
  for (const versions of ['2 / 2', '3 / 3']) {
    await demo.button('Regenerate').press('Enter');
    await expect(position(demo)).toHaveText(versions);
    await demo.idle();
    await expect(demo.message).toBeFocused();
  }
  // The effects of the earlier answers were undone.
  await expect(demo.card('Tea')).toHaveCount(1);

  await demo.button('Previous version').press('Enter');
  await expect(position(demo)).toHaveText('2 / 3');
  await expect(demo.button('Previous version')).toBeFocused();
  await expect(page.locator('[aria-live="polite"]', { hasText: 'Version 2 of 3' })).toBeAttached();
  await page.keyboard.press('Enter');
  await expect(position(demo)).toHaveText('1 / 3');
  await expect(demo.button('Next version')).toBeFocused();
});

test(
  'an irreversible effect is named first, and stays in sight when the conversation continues without it',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.say('Publish the board');
    await demo.approval().click();
    await demo.idle();
    await edit(demo);
    await expect(demo.conversation).toContainText('1 of them cannot be taken back.');
    await editor(demo).fill('Add a card "Tea" to Todo');
    await editor(demo).press('Enter');
    const question = demo.notice;
    await expect(question).toContainText('Not everything can be taken back.');
    await expect(question).toContainText('Published the board for the team');

    // Nothing has happened, and the written text is still there.
    await demo.button('Leave it').click();
    await expect(question).toHaveCount(0);
    await expect(editor(demo)).toHaveValue('Add a card "Tea" to Todo');
    await demo.button('Save').click();
    await demo.button('Keep them and go on').press('Enter');
    await expect(demo.card('Tea')).toBeVisible();
    await demo.idle();
    await expect(demo.message).toBeFocused();

    await expect(demo.notice).toContainText('The board has 1 change of another version.');
    await demo.page.getByText('Which changes').click();
    await expect(demo.notice).toContainText('Published the board for the team');
    await expect(demo.button('Switch the board')).toHaveCount(0);
    await demo.button('Leave it').click();
    await expect(demo.notice).toHaveCount(0);
  },
);

test(
  'an edit of the user survives another attempt, without a question',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('Add a card "Tea" to Todo');
    await demo.rename('Fix search on mobile', 'Fix search everywhere');
    await demo.button('Regenerate').click();
    await expect(position(demo)).toHaveText('2 / 2');
    await demo.idle();
    await expect(demo.card('Tea')).toHaveCount(1);
    await expect(demo.card('Fix search everywhere')).toBeVisible();
    await expect(demo.notice).toHaveCount(0);
  },
);

test(
  'a command that fails midway is rolled back, says why, and can be repeated without changing the board',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('Add cards "Tea" and "Milk" to Todo');
    await demo.rename('Tea', 'Green tea');
    await demo.button('Regenerate').click();
    await expect(demo.notice).toContainText('That did not work, so the conversation stays as it is.');
    await expect(demo.notice).toContainText('Added “Tea” to Todo');
    await expect(demo.notice).toContainText('“Green tea” was changed since');
    await expect(demo.card('Green tea')).toBeVisible();
    await expect(demo.card('Milk')).toBeVisible();
    await expect(position(demo)).toHaveCount(0);

    await demo.button('Keep them and go on').click();
    await expect(position(demo)).toHaveText('2 / 2');
    await demo.idle();
    await expect(demo.card('Milk')).toHaveCount(2);
    await expect(demo.notice).toContainText('The board has 2 changes of another version.');
  },
);

test(
  'a version that failed earlier is not an alert when it is shown again',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&fault=error');
    await demo.ask('Add a card "Fix the footer" to Todo');
    await expect(page.getByRole('alert')).toContainText('server');
    await demo.button('Try again').click();
    await expect(position(demo)).toHaveText('2 / 2');
    await demo.idle();
    await demo.button('Previous version').click();
    await expect(demo.conversation.locator('.turn-error')).toContainText('server');
    await expect(page.getByRole('alert')).toHaveCount(0);
  },
);

test(
  'while the agent works no version can be chosen, and the focus is not lost with the buttons',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&work=slow');
    await demo.ask('hello');
    await demo.turns.first().getByRole('button', { name: 'Edit message' }).focus();
    await page.evaluate(() => void window.__banister.chat.session.peek().send('Add a card "Tea" to Todo'));
    await demo.phase('executing');
    await expect(demo.button('Edit message')).toHaveCount(0);
    await expect(demo.message).toBeFocused();
    await demo.hurry();
    await demo.idle();
    await expect(demo.button('Edit message')).toHaveCount(2);
  },
);
