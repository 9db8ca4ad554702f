import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../fixture.js';

test.beforeEach(({ demo }) => demo.open());

test('a deletion asks, and runs once it is approved', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Delete "Draw the logo"');
  await demo.phase('confirming');
  await expect(demo.status).toHaveText('Waiting for you');
  const asked = demo.confirmation('board.delete_card');
  await expect(asked).toHaveAccessibleName('Confirm board.delete_card: Delete “Draw the logo”');
  await expect(demo.tool('board.delete_card')).toContainText('Waiting for you');
  await expect(demo.card('Draw the logo')).toHaveCount(0); // its name says that it is about to go
  await expect(demo.cards('Done')).toHaveCount(3);

  await asked.getByRole('button', { name: 'Approve' }).click();
  await demo.idle();
  await expect(demo.cardTitles('Done')).toHaveText(['Choose a name', 'Register the domain']);
  await expect(demo.conversation).toContainText('Deleted “Draw the logo”.');
});

test('edited arguments are what runs, on the board and in the transcript', async ({ demo }) => {
  await demo.say('Delete "Draw the logo"');
  const asked = demo.confirmation('board.delete_card');
  await asked.getByRole('textbox', { name: 'Arguments' }).fill('{ "card": "Choose a name" }');
  await asked.getByRole('button', { name: 'Approve' }).click();
  await demo.idle();

  await expect(demo.cardTitles('Done')).toHaveText(['Register the domain', 'Draw the logo']);
  const tool = demo.tool('board.delete_card');
  await expect(tool).toContainText('Done, as you edited it');
  await tool.getByRole('button').click();
  await expect(tool.locator('del')).toHaveText('Draw the logo');
  await expect(tool.locator('ins')).toHaveText('Choose a name');
  await expect(tool).toContainText('The user changed the arguments before they ran');
  await expect(demo.conversation).toContainText('You changed the arguments first, and that is what ran.');
});

test('the question names the effect of an approval after every edit', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Publish the board');
  const asked = demo.confirmation('board.publish_board');
  const text = asked.getByRole('textbox', { name: 'Arguments' });
  const name = (title: string) => `Confirm board.publish_board: ${title}`;
  await expect(asked).toHaveAccessibleName(name('Publish the board for the team'));

  await text.fill('{ "audience": "everyone" }');
  await expect(asked).toHaveAccessibleName(name('Publish the board for everyone'));
  await expect(asked.locator('.confirmation-title')).toContainText('Publish the board for everyone');
  await expect(asked).toHaveAccessibleDescription(/^About what the agent asked: Publishes/);

  await text.fill('{ "audience": "every');
  await expect(asked).toHaveAccessibleName(name('As the agent asked: Publish the board for the team'));
  await asked.getByRole('button', { name: 'Deny' }).click();
  await demo.idle();
});

test('no line of the arguments is hidden, however they wrap', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Publish the board');
  const text = demo.confirmations.getByRole('textbox', { name: 'Arguments' });
  await text.fill(`{ "audience": "${'everyone and '.repeat(40)}" }`);
  await expect
    .poll(() => text.evaluate((element) => element.scrollHeight - element.clientHeight))
    .toBeLessThanOrEqual(0);
});

test('edited arguments that do not fit show an error, and the question stays open', async ({ demo }) => {
  await demo.say('Delete "Draw the logo"');
  const asked = demo.confirmation('board.delete_card');
  const text = asked.getByRole('textbox', { name: 'Arguments' });
  await text.fill('{ "card": 7 }');
  await asked.getByRole('button', { name: 'Approve' }).click();
  await expect(asked.getByRole('alert')).toContainText('card');
  await text.fill('{ "card": ');
  await asked.getByRole('button', { name: 'Approve' }).click();
  await expect(asked.getByRole('alert')).toContainText('Not valid JSON');
  await demo.phase('confirming');
  await text.fill('{ "card": "Draw the logo" }');
  await asked.getByRole('button', { name: 'Approve' }).click();
  await demo.idle();
  await expect(demo.cards('Done')).toHaveCount(2);
});

test('a denied call does not run, and the model is told', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Clear Done');
  await demo.confirmation('board.clear_column').getByRole('button', { name: 'Deny' }).click();
  await demo.idle();
  await expect(demo.cards('Done')).toHaveCount(3);
  await expect(demo.tool('board.clear_column')).toContainText('You refused');
  await expect(demo.conversation).toContainText('You said no about “Done”');
  await expect(demo.undo).toHaveCount(0);
});

test('three calls ask at once, and each is answered by itself', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Delete three cards from Done');
  await expect(demo.confirmations).toHaveCount(3);
  await expect(demo.status).toHaveText('Waiting for you: 3 questions');
  const about = (title: string) => demo.confirmations.and(demo.page.getByRole('group', { name: title }));
  await about('Register the domain').getByRole('button', { name: 'Deny' }).click();
  await expect(demo.confirmations).toHaveCount(2);
  await about('Draw the logo').getByRole('button', { name: 'Approve' }).click();
  await about('Choose a name').getByRole('button', { name: 'Approve' }).click();
  await demo.idle();
  await expect(demo.cardTitles('Done')).toHaveText(['Register the domain']);
});

test('all of three can be approved at once', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Delete three cards from Done');
  await expect(demo.confirmations).toHaveCount(3);
  await demo.button('Approve all').click();
  await demo.idle();
  await expect(demo.cards('Done')).toHaveCount(0);
});

test(
  'a paid call asks with an estimate of its cost, and with a warning that it cannot be undone',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.say('Publish the board for everyone');
    const asked = demo.confirmation('board.publish_board');
    await expect(asked).toContainText('about $0.24');
    await expect(asked).toContainText('cannot be undone');
    await asked.getByRole('button', { name: 'Approve' }).click();
    await demo.idle();
    await expect(demo.board).toContainText('Published for everyone');
    await expect(demo.undo).toHaveCount(0);
  },
);

test.describe('of a double click', { tag: '@full' }, () => {
  /** Presses the button as the second half of a double click does, when the button has moved under the pointer. */
  async function clickAgain(page: Page, button: Locator): Promise<void> {
    await button.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  }

  test('the second click does not answer the next question', async ({ demo, page }) => {
    await demo.say('Delete three cards from Done');
    await expect(demo.confirmations).toHaveCount(3);
    const approve = demo.confirmations.first().getByRole('button', { name: 'Approve' });
    await approve.click();
    await expect(demo.confirmations).toHaveCount(2);
    await clickAgain(page, approve);
    await demo.confirmations.last().getByRole('button', { name: 'Deny' }).click();
    await expect(demo.confirmations).toHaveCount(1);
    // A click of its own answers it.
    await approve.click();
    await demo.idle();
    await expect(demo.cardTitles('Done')).toHaveText(['Draw the logo']);
  });

  test('the second click does not start a new chat', async ({ demo, page }) => {
    await demo.say('Delete "Draw the logo"');
    await demo.button('Approve').click();
    await expect(demo.confirmations).toHaveCount(0);
    await clickAgain(page, demo.button('New chat'));
    await demo.idle();
    await expect(demo.conversation).toContainText('Deleted “Draw the logo”');
  });

  test('the second click on Send does not stop the turn', async ({ demo, page }) => {
    await demo.say('Delete "Draw the logo"');
    await clickAgain(page, demo.stop);
    await demo.button('Approve').click();
    await demo.idle();
    await expect(demo.grip).toHaveAttribute('data-kind', 'held');
  });
});
