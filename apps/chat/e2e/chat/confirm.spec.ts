import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../accessible.js';
import { expect, test } from '../fixture.js';

test.beforeEach(({ demo }) => demo.open());

test('a deletion asks, and runs once it is approved', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Delete "Draw the logo"');
  await demo.phase('confirming');
  await expect(demo.status).toHaveText('Waiting for you');
  const asked = demo.confirmation('board.delete_card');
  await expect(asked).toHaveAccessibleName('Question: Delete “Draw the logo”');
  await expect(asked).toHaveAccessibleDescription('Undo brings it back.');
  await expect(asked).toContainText('In Done');
  await expect(demo.card('Draw the logo')).toHaveCount(0); // its name says that it is about to be deleted
  await expect(demo.cards('Done')).toHaveCount(3);

  await asked.getByRole('button', { name: 'Delete', exact: true }).click();
  await demo.idle();
  await expect(demo.cardTitles('Done')).toHaveText(['Choose a name', 'Register the domain']);
  await expect(demo.conversation).toContainText('Deleted “Draw the logo”.');
});

test('the call runs with the arguments that the form has, and the board and the transcript show them', async ({
  demo,
}) => {
  await demo.say('Delete "Draw the logo"');
  const asked = demo.confirmation('board.delete_card');
  await asked.getByRole('combobox', { name: 'Card' }).selectOption('Choose a name');
  await expect(asked).toHaveAccessibleName('Question: Delete “Choose a name”');
  await expect(asked).toHaveAccessibleDescription(/^About what the agent asked: /);
  await demo.approval(asked).click();
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

test(
  'the arguments of a call are edited in a form, which the title and the change follow',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.say('Get the board ready and publish it');
    await page.getByRole('button', { name: 'Open: Publish the board for the team' }).click();
    const asked = demo.confirmation('board.publish_board');
    await expect(asked).toBeFocused();
    await asked.getByRole('radio', { name: 'Everyone' }).check({ force: true });
    await expect(asked).toHaveAccessibleName('Question 3 of 3: Publish the board for everyone');
    await asked.getByRole('textbox', { name: 'Goes out' }).fill('2030-06-10');
    await expect(asked.locator('.change')).toContainText(
      'Everyone, from Mon 10 Jun, with a mail to everyone',
    );
    const mail = asked.getByRole('group', { name: 'Mail' });
    await expect(mail.getByRole('checkbox', { name: 'Send a mail' })).toBeChecked();
    await mail.getByRole('textbox', { name: 'Note' }).fill('Come and see');
    await expect(asked.getByRole('button', { name: 'Publish, €0.24' })).toBeVisible();

    // The same edit as JSON, and back.
    await asked.getByRole('button', { name: 'As JSON' }).click();
    await expect(asked.getByRole('textbox', { name: 'As JSON' })).toHaveValue(/"note": "Come and see"/);
    await expectAccessible(page);
    await asked.getByRole('button', { name: 'As JSON' }).click();
    await asked.getByRole('button', { name: 'Leave out: Mail' }).click();
    await demo.approval(asked).click();
    await page.getByRole('button', { name: 'Refuse all' }).click();
    await demo.idle();
    await expect(demo.board).toContainText('Goes out to everyone on Mon 10 Jun');
    await expect(demo.conversation).not.toContainText('Sent a mail');
  },
);

test('an invalid value has its error below it, and is not sent', async ({ demo }) => {
  await demo.page.getByRole('combobox', { name: 'Changes' }).selectOption('Ask first');
  await demo.say('Add a card "Tea" to Todo');
  const asked = demo.confirmation('board.add_card');
  const title = asked.getByRole('textbox', { name: 'Title' });
  await title.fill('');
  await expect(title).toHaveAccessibleDescription(/\S/);
  await expect(demo.approval(asked)).toHaveAttribute('aria-disabled', 'true');
  await demo.approval(asked).click({ force: true });
  await expect(title).toBeFocused();
  await demo.phase('confirming');
  await title.fill('Coffee');
  await expect(title).toHaveAccessibleDescription('');
  await expect(asked).toHaveAccessibleName('Question: Add “Coffee” to Todo');
  await expect(demo.approval(asked)).not.toHaveAttribute('aria-disabled', 'true');
  await demo.answerByKey('Control+Enter');
  await demo.idle();
  await expect(demo.card('Coffee')).toHaveCount(1);
});

test(
  "the tool's preview of edited arguments is shown if the page cannot describe them, and is marked as outdated while they are invalid",
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.say('Delete "Draw the logo"');
    const asked = demo.confirmation('board.delete_card');
    await expect(asked.locator('.change')).toContainText('In Done');
    await asked.getByRole('button', { name: 'As JSON' }).click();
    const json = asked.getByRole('textbox', { name: 'As JSON' });
    await json.fill('{ "card": "No such card" }');
    await expect(asked.locator('.preview')).toHaveText('Nothing to change');
    await expect(asked.locator('.preview')).toHaveAttribute('data-state', 'current');
    await expect(asked.locator('.change')).toHaveCount(0);

    await json.fill('{}');
    await expect(asked.locator('.preview')).toHaveAttribute('data-state', 'waiting');
    await expect(asked).toContainText('From before your changes');
    await expectAccessible(page);
    await json.fill('{ "card": "Choose a name" }');
    await expect(asked.locator('.change')).toContainText('Gone');
    await expect(asked).not.toContainText('From before your changes');
    await demo.approval(asked).click();
    await demo.idle();
    await expect(demo.cardTitles('Done')).toHaveText(['Register the domain', 'Draw the logo']);
  },
);

test('a denied call does not run, and the model is told', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Clear Done');
  await demo.refusal(demo.confirmation('board.clear_column')).click();
  await demo.idle();
  await expect(demo.cards('Done')).toHaveCount(3);
  await expect(demo.tool('board.clear_column')).toContainText('You refused');
  await expect(demo.conversation).toContainText('You said no about “Done”');
  await expect(demo.undo).toHaveCount(0);
});

test(
  'several questions are one list, and each is answered separately',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.say('Delete three cards from Done');
    await expect(demo.confirmations).toHaveCount(3);
    await expect(page.getByRole('heading', { name: '3 questions' })).toBeVisible();
    await page.getByRole('button', { name: 'Refuse: Delete “Register the domain”' }).click();
    await expect(demo.confirmations).toHaveCount(2);
    await expect(demo.tool('board.delete_card').nth(1)).toContainText('You refused');
    await page.getByRole('button', { name: 'Approve: Delete “Draw the logo”' }).click();
    await demo.approval().click();
    await demo.idle();
    await expect(demo.cardTitles('Done')).toHaveText(['Register the domain']);
  },
);

test('a call that costs something or is irreversible is left out of a joint approval', async ({
  demo,
  page,
}) => {
  await demo.say('Get the board ready and publish it');
  await expect(demo.confirmations).toHaveCount(3);
  await expect(page.getByRole('button', { name: /^Approve: Publish/ })).toHaveCount(0);
  await demo.button('Approve 2 of 3').press('Enter');
  await expect(demo.confirmations).toHaveCount(1);
  const asked = demo.confirmation('board.publish_board');
  await expect(asked).toBeFocused();
  await expect(asked).toHaveAccessibleName('Question 3 of 3: Publish the board for the team');
  await expect(asked).toHaveAccessibleDescription(
    'Costs €0.24 Cannot be taken back Publishes 8 cards on the web.',
  );
  await expect(page.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
  await asked.getByRole('button', { name: 'Publish, €0.24' }).press('Enter');
  await demo.idle();
  await expect(demo.cards('Done')).toHaveCount(1);
  await expect(demo.board).toContainText('Goes out to the team on Mon');
});

test('a change of the board renews the question, and says so', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Clear Done');
  const asked = demo.confirmation('board.clear_column');
  await expect(asked.locator('.change')).toContainText('3 cards');
  const card = demo.card('Fix search on mobile');
  await card.getByRole('button', { name: 'Fix search on mobile', exact: true }).press('Alt+ArrowRight');
  await expect(asked).toContainText('Changed meanwhile');
  await expect(asked.locator('.change')).toContainText('4 cards');
  await demo.refusal(asked).click();
  await demo.idle();
});

test(
  'a question about a tool that the page has no form for shows its arguments, and a preview of any kind',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.getByRole('combobox', { name: 'Changes' }).selectOption('Ask first');
    await page.evaluate(() => {
      let rings = 2;
      const previews = {
        text: () => `Rings the b\u202Eell ${rings} times`,
        json: () => ({ rings, tones: Array.from({ length: 1000 }, () => 'high') }),
        failed: () => {
          throw new Error(`The bell does not answer ${rings} rings.`);
        },
      };
      const names = ['text', 'json', 'failed'] as const;
      const tools = names.map((name) => ({
        name,
        description: 'Rings.',
        parameters: { type: 'object' as const, properties: { times: { type: 'number' as const } } },
        preview: previews[name],
        execute: () => 'rung',
      }));
      const calls = names.map((name, index) => ({
        type: 'tool-call' as const,
        index,
        id: name,
        tool: `bell.${name}`,
        delta: '{ "times": 2 }',
      }));
      const session = window.__banister.chat.session.peek();
      const oneMore = () => {
        rings++;
        session.touch('bell');
      };
      Object.assign(window, { oneMore });
      session.configure({
        domains: [{ id: 'bell', tools }],
        provider: {
          id: 'calls',
          model: 'calls-1',
          capabilities: { images: false, pdfs: false },
          async *stream() {
            await Promise.resolve();
            yield* calls;
            yield { type: 'finish' as const, reason: 'tool-calls' as const };
          },
        },
      });
    });
    await demo.say('Ring');
    await expect(demo.confirmations).toHaveCount(3);
    const open = page.locator('.question[data-open]');
    await expect(open.locator('.preview')).toHaveText('Rings the b⟨U+202E⟩ell 2 times');
    await expect(open.locator('pre')).toHaveText(/"times": 2/);
    await expect(page.getByRole('button', { name: /^Approve \d/ })).toHaveCount(0);
    await expect(demo.confirmations.filter({ hasText: 'Changed meanwhile' })).toHaveCount(0);

    await page.evaluate(() => (window as unknown as { oneMore(): void }).oneMore());
    // The open question, and the folded questions.
    await expect(demo.confirmations.filter({ hasText: 'Changed meanwhile' })).toHaveCount(3);
    await expect(open.locator('.preview')).toHaveText('Rings the b⟨U+202E⟩ell 3 times');
    await expectAccessible(page);
    // The row of the long question has a short name.
    await expect(page.locator('.question-toggle').first()).toHaveAccessibleName(
      /Changed meanwhile \{ "rings": 3, "tones": \[ "high", .{0,60}…$/,
    );
    await demo.refusal(open).press('Enter');
    await expect(open.locator('pre.preview')).toHaveText(/"rings": 3/);
    await demo.refusal(open).press('Enter');
    await expect(open).toContainText('Changed meanwhile');
    await expect(open.locator('.preview')).toHaveText(
      'The preview could not be made: The bell does not answer 3 rings.',
    );
    await demo.stop.click();
  },
);

test('a turn that has used up its steps asks for more', async ({ demo, page }) => {
  await demo.say('Plan the month');
  await expect(demo.status).toHaveText('15 of 15 steps used');
  await expect(demo.grip).toHaveAttribute('data-kind', 'limit');
  await expectAccessible(page);
  await page.keyboard.press('Shift+Tab');
  await expect(demo.button('15 more')).toBeFocused();
  await page.keyboard.press('Enter');
  await demo.idle();
  await expect(demo.cards('Todo')).toHaveCount(19);
  await demo.say('Plan the month');
  await expect(demo.status).toHaveText('15 of 15 steps used');
  await demo.button('End').click();
  await demo.idle();
  await expect(demo.cards('Todo')).toHaveCount(34);
});

test('a screen reader finds each state of a question in words', { tag: '@full' }, async ({ demo, page }) => {
  await demo.say('Get the board ready and publish it');
  await page.getByRole('button', { name: 'Refuse: Delete “Register the domain”' }).click();
  await page.getByRole('button', { name: /^Open: Publish/ }).click();
  await expect(page.getByRole('region', { name: 'Questions' })).toMatchAriaSnapshot(`
    - region "Questions":
      - heading "2 questions" [level=3]
      - button "Refuse all"
      - button "Approve 1 of 2"
      - 'group "Question 1 of 3: Delete “Choose a name”"':
        - button "Delete “Choose a name” In Done → Gone"
        - 'button "Refuse: Delete “Choose a name”"'
        - 'button "Approve: Delete “Choose a name”"'
      - group "Delete “Register the domain”":
        - paragraph: Delete “Register the domain” You refused
      - 'group "Question 3 of 3: Publish the board for the team"':
        - heading "Publish the board for the team" [level=4]
        - text: Costs €0.24 Cannot be taken back Publishes 8 cards on the web.
        - paragraph: Now Only you
        - paragraph: /After The team, from Mon \\d+ \\w+/
        - radiogroup "Audience":
          - radio "Team" [checked]
          - radio "Everyone"
        - textbox "Goes out": /\\d+-\\d+-\\d+/
        - 'button "Leave out: Goes out"'
        - group "Mail":
          - checkbox "Send a mail" [checked]
          - textbox "Note": The board is ready.
        - button "As JSON"
        - group: Just this once
        - button "Refuse"
        - button "Publish, €0.24"
  `);
});

test(
  'a question is announced with its cost, and does not take the focus',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.say('Publish the board');
    await expect(
      page.getByText(
        'Question: Publish the board for the team. Costs €0.24. Cannot be taken back. F6 to answer.',
      ),
    ).toBeAttached();
    await expect(demo.message).toBeFocused();
    await page.keyboard.press('F6');
    await expect(demo.confirmations).toBeFocused();
  },
);

test.describe('of a double click', { tag: '@full' }, () => {
  /**
   * Presses the button as the second half of a double click would, if the button has moved under the pointer.
   */
  async function clickAgain(page: Page, button: Locator): Promise<void> {
    await button.hover();
    await page.mouse.down({ clickCount: 2 });
    await page.mouse.up({ clickCount: 2 });
  }

  test('the second click does not answer the next question', async ({ demo, page }) => {
    await demo.say('Delete three cards from Done');
    await expect(demo.confirmations).toHaveCount(3);
    const approve = demo.approval();
    await approve.click();
    await expect(demo.confirmations).toHaveCount(2);
    await clickAgain(page, approve);
    await demo.refusal(demo.confirmations.last()).click();
    await expect(demo.confirmations).toHaveCount(1);
    // A separate click answers it.
    await approve.click();
    await demo.idle();
    await expect(demo.cardTitles('Done')).toHaveText(['Draw the logo']);
  });

  test('the second click does not start a new chat', async ({ demo, page }) => {
    await demo.say('Delete "Draw the logo"');
    await demo.approval().click();
    await expect(demo.confirmations).toHaveCount(0);
    await clickAgain(page, demo.button('New chat'));
    await demo.idle();
    await expect(demo.conversation).toContainText('Deleted “Draw the logo”');
  });

  test('the second click on Send does not stop the turn', async ({ demo, page }) => {
    await demo.say('Delete "Draw the logo"');
    await clickAgain(page, demo.stop);
    await demo.approval().click();
    await demo.idle();
    await expect(demo.grip).toHaveAttribute('data-kind', 'held');
  });
});
