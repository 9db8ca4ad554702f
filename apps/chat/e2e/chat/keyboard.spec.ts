import { expect, test } from '../fixture.js';

test('everything can be done without a pointer: ask, edit the arguments, approve, undo, redo', async ({
  demo,
  page,
}) => {
  await demo.open();
  const tabTo = async (name: string) => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const { activeElement: element } = document;
        return (
          element?.getAttribute('aria-label') ??
          element?.closest('label')?.textContent ??
          element?.textContent
        );
      });
      if (focused?.trim() === name) return;
    }
    throw new Error(`Tab never came to ${name}.`);
  };

  await tabTo('Message');
  await page.keyboard.type('Delete two cards from Done');
  await page.keyboard.press('Enter');
  await expect(demo.confirmations).toHaveCount(2);

  await page.keyboard.press('Shift+Tab'); // from the message back to the controls above it
  await tabTo('Delete Y');
  await page.keyboard.press('Enter');
  // The pressed button was removed with its question. The next question as a whole has the focus, not one of
  // its buttons.
  await expect(demo.confirmations).toHaveCount(1);
  await expect(demo.confirmations).toBeFocused();
  await demo.answerByKey('y');
  await demo.idle();
  await expect(demo.message).toBeFocused();
  await expect(demo.cards('Done')).toHaveCount(1);

  await demo.undo.press('Enter');
  await expect(demo.cards('Done')).toHaveCount(3);
  await expect(demo.message).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(demo.redo).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(demo.cards('Done')).toHaveCount(1);
  await expect(demo.message).toBeFocused();
});

for (const [answer, tag] of [
  ['Refuse', '@full'],
  ['Delete', '@full'],
] as const) {
  test(`Enter held on an answer answers only one question: ${answer}`, { tag }, async ({ demo, page }) => {
    await demo.open();
    await demo.say('Delete three cards from Done');
    await expect(demo.confirmations).toHaveCount(3);
    await demo.message.fill('Half written');
    await page.locator(answer === 'Refuse' ? '.question-refuse' : '.question-approve').focus();
    for (let presses = 0; presses < 5; presses++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await expect(demo.confirmations).toHaveCount(2);
    await expect(demo.confirmations.first()).toBeFocused();
    // A second press does nothing either.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect(demo.confirmations).toHaveCount(2);
    await expect(demo.message).toHaveValue('Half written');
  });
}

test(
  'Enter held on the last answer does not send what is half written',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.say('Delete "Draw the logo"');
    await demo.message.fill('Half written');
    await demo.refusal(demo.confirmations).focus();
    await page.keyboard.down('Enter');
    await expect(demo.message).toBeFocused();
    await demo.idle();
    for (let presses = 0; presses < 5; presses++) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await expect(demo.message).toHaveValue('Half written');
    await page.keyboard.press('Enter');
    await expect(demo.message).toHaveValue('');
    await demo.idle();
  },
);

test(
  'after an approval of several, the focus is on the question that stays open',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.say('Delete three cards from Done');
    await demo.writeArguments(demo.confirmations.first(), '{ "card": 7 }');
    await demo.button('Approve 2 of 3').press('Enter');
    await expect(demo.confirmations).toHaveCount(1);
    await expect(demo.confirmations).toBeFocused();
    await demo.answerByKey('y');
    const text = demo.confirmations.getByRole('textbox', { name: 'As JSON' });
    await expect(text).toBeFocused();
    await expect(text).toHaveAccessibleDescription(/card/);
  },
);

test(
  'neither a turn that was begun elsewhere nor its question takes the focus',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    // A user who has answered a question before.
    await demo.say('Delete "Draw the logo"');
    await demo.refusal().press('Enter');
    await demo.idle();
    await demo.message.blur();
    const begin = () =>
      page.evaluate(() => void window.__banister.chat.session.peek().send('Delete two cards from Done'));
    await begin();
    await expect(demo.confirmations).toHaveCount(2);
    await expect(page.locator('body')).toBeFocused();
    // Focus elsewhere on the page stays there while questions open and close.
    await demo.viewPicker.focus();
    await page.evaluate(() => window.__banister.chat.session.peek().cancel());
    await demo.idle();
    await expect(demo.confirmations).toHaveCount(0);
    await expect(demo.viewPicker).toBeFocused();
  },
);

test(
  'a question that closes by itself gives the focus back to the message',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.clock.install();
    await demo.open();
    await demo.say('Delete "Draw the logo"');
    await demo.confirmations.getByRole('combobox', { name: 'Card' }).focus();
    const isAttended = () =>
      page.evaluate(() =>
        window.__banister.chat.session
          .peek()
          .pendingConfirmations.peek()
          .every(({ attended }) => attended),
      );
    await expect.poll(isAttended).toBe(true);
    // A jump of the clock while a write is on its way is a log that did not answer in time, and the turn fails.
    await demo.recorded('confirmationAttended');
    // While the user edits, the deadline stands still, for at most ten minutes.
    await page.clock.fastForward(125_000);
    await expect(demo.confirmations).toHaveCount(1);
    await page.clock.fastForward(600_000);
    await expect(demo.confirmations).toHaveCount(0);
    await expect(demo.message).toBeFocused();
  },
);

test(
  'the undo key outside of a text field undoes turn after turn, and with Shift redoes them',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask('Add a card "First" to Todo');
    await demo.ask('Add a card "Second" to Todo');
    await demo.message.fill('Half written');
    await demo.conversation.focus();
    await page.keyboard.press('Control+z');
    await expect(demo.status).toHaveText('Taken back Add a card "Second" to Todo');
    await page.keyboard.press('Control+z');
    await expect(demo.status).toHaveText('Taken back Add a card "First" to Todo');
    await expect(demo.card('First')).toHaveCount(0);
    await page.keyboard.press('Control+Shift+z');
    await expect(demo.card('First')).toBeVisible();
    await expect(demo.message).toHaveValue('Half written');
    // In the message field, the browser handles the key.
    await demo.message.focus();
    await page.keyboard.press('Control+z');
    await expect(demo.message).toHaveValue('');
    await expect(demo.card('First')).toBeVisible();
  },
);

test('Escape stops the turn, from the message too', async ({ demo, page }) => {
  await demo.open('pace=slow');
  await demo.say('Plan a product launch');
  await demo.phase('streaming');
  await demo.message.fill('Half written');
  await page.keyboard.press('Escape');
  await demo.idle();
  await expect(demo.grip).toHaveAttribute('data-kind', 'stopped');
  await expect(demo.message).toHaveValue('Half written');
  // Nothing runs that could be stopped.
  await page.keyboard.press('Escape');
  await expect(demo.grip).toHaveAttribute('data-kind', 'stopped');
});

for (const answer of ['Leave it', 'Undo both']) {
  test(`after “${answer}” the focus is on the message`, { tag: '@full' }, async ({ demo }) => {
    await demo.open();
    await demo.ask('Add a card "First" to Todo');
    await demo.ask('Rename "First" to "Last"');
    await demo.turns.first().getByRole('button', { name: 'Undo this turn' }).press('Enter');
    await demo.button(answer).press('Enter');
    await expect(demo.button(answer)).toHaveCount(0);
    await expect(demo.message).toBeFocused();
  });
}

test('Stop can be reached and pressed while the agent writes', { tag: '@full' }, async ({ demo, page }) => {
  await demo.open('pace=slow');
  await demo.message.fill('Plan a product launch');
  await page.keyboard.press('Enter');
  await demo.phase('streaming');
  await expect(demo.message).toBeFocused();
  // The menu of Stop is between the two controls.
  await page.keyboard.press('Shift+Tab');
  await expect(demo.grip.locator('summary')).toBeFocused();
  await page.keyboard.press('Shift+Tab');
  await expect(demo.stop).toBeFocused();
  await page.keyboard.press('Enter');
  await demo.idle();
  await expect(demo.message).toBeFocused();
});

test(
  'after a suggestion and after Try again the focus is on the message',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&fault=error');
    await page.getByRole('button', { name: 'Plan the launch week' }).press('Enter');
    await expect(demo.message).toBeFocused();
    await demo.idle();
    await demo.button('Try again').press('Enter');
    await expect(demo.message).toBeFocused();
    await demo.idle();
  },
);
