import { viewNames, type ViewName } from '../../src/view/chat-views.js';
import { expect, test, type Demo } from '../fixture.js';

// Each test begins in the first view, switches to every other view, and may come back.
const [first, ...others] = viewNames as readonly [ViewName, ...ViewName[]];

/** Opens the demo with every view loaded, so that a switch takes no longer than a press. */
async function openWarm(demo: Demo, query: string): Promise<void> {
  await demo.open(query);
  for (const view of [...others, first]) await demo.switchTo(view);
  await demo.page.evaluate(() => {
    const operations: string[] = [];
    Object.assign(window, { operations });
    window.__banister.chat.session.peek().operations$.subscribe(({ type }) => operations.push(type));
  });
}

/** Returns how often an operation has happened in the session after the page was opened. */
async function count(demo: Demo, type: string): Promise<number> {
  const seen = await demo.page.evaluate(
    () => (window as unknown as { readonly operations: readonly string[] }).operations,
  );
  return seen.filter((one) => one === type).length;
}

/** Returns the chat as a screen reader finds it, without the passing seconds. */
async function looksOf(demo: Demo): Promise<string> {
  const tree = await demo.page.getByRole('region', { name: 'Chat' }).ariaSnapshot();
  return tree.replaceAll(/No answer in \d+ s/g, 'No answer in some s');
}

/** Expects the chat to have the same content in every view, word for word. */
async function expectSameInEveryView(demo: Demo): Promise<void> {
  // Until the Markdown renderer is loaded, text is shown as it was written.
  await expect(demo.conversation.locator('.answer:not([data-markdown])')).toHaveCount(0);
  const looks = await looksOf(demo);
  for (const view of [...others, first]) {
    await demo.switchTo(view);
    await expect.poll(() => looksOf(demo), { message: `in ${view}` }).toBe(looks);
  }
}

test('in the middle of a text: the written part is there, and the rest arrives', async ({ demo }) => {
  await openWarm(demo, 'pace=slow');
  await demo.say('help');
  const answer = demo.conversation.locator('.answer');
  // Compares only letters, because Markdown marks and line breaks change while the text after them arrives.
  const letters = async () => (await answer.innerText()).replaceAll(/[^a-z]/gi, '');
  for (const view of others) {
    await expect(answer).toContainText('No model here');
    const early = await letters();
    await demo.switchTo(view);
    await expect.poll(async () => (await letters()).startsWith(early)).toBe(true);
  }
  await demo.hurry();
  await demo.idle();
  await expect(answer).toContainText('without a key and without a network');
  await expect(demo.conversation.locator('.user-message')).toHaveText(['help']);
  expect(await count(demo, 'turnStarted')).toBe(1);
  await expectSameInEveryView(demo);
});

test(
  'while the model is silent: every view waits, and Stop is the same in each view',
  { tag: '@full' },
  async ({ demo }) => {
    await openWarm(demo, 'pace=fast&fault=stall');
    await demo.say('Add a card "Seen for a moment" to Todo');
    await expect(demo.card('Seen for a moment')).toBeVisible();
    await demo.phase('streaming');
    // The answer stalls here.
    await expect(demo.conversation).toContainText('Added “Seen for a');
    await expectSameInEveryView(demo);
    await demo.switchTo(others.at(-1)!);
    await demo.stop.click();
    await demo.idle();
    await expect(demo.card('Seen for a moment')).toHaveCount(0);
    await expectSameInEveryView(demo);
  },
);

test('while arguments arrive: the call is completed, and runs once', { tag: '@full' }, async ({ demo }) => {
  const title = 'Water the plants in the meeting room, and those in the hall, and say hello to Ada';
  await openWarm(demo, 'pace=slow');
  await demo.say(`Add a card "${title}" to Doing`);
  await expect(demo.tool('board.add_card')).toContainText('Writing');
  for (const view of others) {
    await demo.switchTo(view);
    await expect(demo.tool('board.add_card')).toContainText('Water the');
  }
  await demo.hurry();
  await demo.idle();
  await expect(demo.cardTitles('Doing').last()).toHaveText(title);
  await expect(demo.card(title)).toHaveCount(1);
  expect(await count(demo, 'toolStarted')).toBe(1);
  await expectSameInEveryView(demo);
});

test(
  'while a call stays half written: every view shows it, and Stop in each view drops it',
  { tag: '@full' },
  async ({ demo }) => {
    await openWarm(demo, 'pace=fast&fault=stall-call');
    await demo.say('Add a card "Water the plants in the meeting room" to Doing');
    await expect(demo.tool('board.add_card')).toContainText('Water');
    await expectSameInEveryView(demo);
    await demo.switchTo(others[0]!);
    await demo.stop.click();
    await demo.idle();
    await expect(demo.ghosts()).toHaveCount(0);
    await expect(demo.receipt).toContainText('Not started');
    expect(await count(demo, 'toolStarted')).toBe(0);
    await expectSameInEveryView(demo);
  },
);

test(
  'while the user is asked: edited arguments, their errors, and a half-written message stay',
  { tag: '@full' },
  async ({ demo }) => {
    await openWarm(demo, 'pace=fast');
    await demo.say('Delete "Draw the logo"');
    await demo.message.fill('And after that');
    const asked = demo.confirmation('board.delete_card');
    await demo.writeArguments(asked, '{ "card": 7 }');
    const text = asked.getByRole('textbox', { name: 'As JSON' });
    await demo.approval(asked).click({ force: true });
    await expect(text).toHaveAccessibleDescription(/card/);
    for (const view of others) {
      await demo.switchTo(view);
      await expect(text).toHaveValue('{ "card": 7 }');
      await expect(text).toHaveAccessibleDescription(/card/);
      await expect(demo.message).toHaveValue('And after that');
    }
    await expectSameInEveryView(demo);

    await demo.switchTo(others[0]!);
    await text.fill('{ "card": "Choose a name" }');
    await demo.switchTo(first);
    await demo.approval(asked).click();
    await demo.idle();
    await expect(demo.cardTitles('Done')).toHaveText(['Register the domain', 'Draw the logo']);
    await expect(demo.message).toHaveValue('And after that');
    expect(await count(demo, 'confirmationRequested')).toBe(1);
    expect(await count(demo, 'toolStarted')).toBe(1);
    await expectSameInEveryView(demo);
  },
);

test(
  'while a tool runs: its progress continues, and Stop now in another view cuts it',
  { tag: '@full' },
  async ({ demo }) => {
    await openWarm(demo, 'pace=slow');
    await demo.say('Publish the board');
    await demo.approval().click();
    const tool = demo.tool('board.publish_board');
    await expect(tool).toContainText('of 8');
    for (const view of others) {
      await demo.switchTo(view);
      await expect(tool).toContainText('of 8');
    }
    await demo.stop.click();
    await demo.phase('cancelling');
    await demo.switchTo(first);
    await expect(demo.page.getByText('Stopping… one step still runs')).toBeVisible();
    await demo.button('Stop now').click();
    await demo.idle();
    await expect(tool).toContainText('Cut before it did anything');
    await expect(demo.board).not.toContainText('Published');
    expect(await count(demo, 'toolStarted')).toBe(1);
    await expectSameInEveryView(demo);
  },
);

for (const view of others) {
  test(
    `in the middle of a rollback, to ${view}: everything is undone once`,
    { tag: '@full' },
    async ({ demo, page }) => {
      await openWarm(demo, 'pace=fast&fault=stall');
      const before = await demo.titles('Todo');
      await demo.say('Add cards "One", "Two" and "Three" to Todo');
      await expect(demo.card('Three')).toBeVisible();
      await demo.phase('streaming');
      // A rollback is too short for a press from outside, so the page itself chooses when the rollback
      // begins.
      await page.evaluate((name) => {
        const picker = document.querySelector<HTMLSelectElement>('.view-picker select')!;
        window.__banister.chat.session.peek().operations$.subscribe(({ type }) => {
          if (type !== 'rollbackStarted') return;
          picker.value = name;
          picker.dispatchEvent(new Event('change', { bubbles: true }));
        });
      }, view);
      await demo.stop.click();
      await expect(page.locator(`[data-view="${view}"]`)).toBeVisible();
      await demo.idle();
      await expect(demo.cardTitles('Todo')).toHaveText(before);
      await demo.toggleReceipt();
      await expect(demo.receipt.getByRole('listitem')).toHaveText(
        ['Three', 'Two', 'One'].map((title) => `Added “${title}” to Todo`),
      );
      // A new view shows the steps folded.
      await demo.toggleReceipt();
      expect(await count(demo, 'rolledBack')).toBe(1);
      await expectSameInEveryView(demo);
    },
  );
}

test('the states of a chat look the same in every view', { tag: '@full' }, async ({ demo }) => {
  await openWarm(demo, 'pace=fast&fault=error');
  await expectSameInEveryView(demo); // the greeting
  await demo.ask('Add a card "Open the new invoice\u202Efdp.exe" to Todo');
  await expectSameInEveryView(demo); // a failed turn
  await demo.button('Try again').click();
  await demo.idle();
  await demo.say('Publish the board for everyone');
  await expect(demo.confirmations).toContainText('Cannot be taken back');
  await expectSameInEveryView(demo); // a question with its price
  await demo.refusal().click();
  await demo.idle();
  await demo.say('Delete three cards from Done');
  await expect(demo.confirmations).toHaveCount(3);
  await expectSameInEveryView(demo); // three questions
  await demo.button('Approve all 3').click();
  await demo.idle();
  await demo.ask('Add a card "First" to Todo');
  await demo.ask('Rename "First" to "Last"');
  await demo.turns.nth(-2).getByRole('button', { name: 'Undo this turn' }).press('Enter');
  await expect(demo.button('Undo both')).toBeVisible();
  await expectSameInEveryView(demo); // a question about Undo
  await demo.switchTo(others[0]!);
  await demo.button('Undo both').click();
  await expect(demo.receipt.last()).toContainText('taken back');
  await demo.idle();
  for (const turn of [demo.turns.nth(-2), demo.turns.last()]) await expect(turn).toContainText('Undone');
  await expectSameInEveryView(demo); // a receipt
});

test('the switch works by keyboard and keeps the focus; the address keeps the choice', async ({
  demo,
  page,
}) => {
  await demo.open();
  await demo.viewPicker.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.locator(`[data-view="${others[0]}"]`)).toBeVisible();
  await expect(demo.viewPicker).toBeFocused();
  await expect(page).toHaveURL(new RegExp(`[?&]view=${others[0]}(&|$)`));

  await demo.unmount();
  await expect(demo.conversation).toHaveCount(0);
  await demo.mount();
  await expect(page.locator(`[data-view="${others[0]}"]`)).toBeVisible();
  await demo.reload();
  await expect(demo.viewPicker).toHaveValue(others[0]!);

  // Without a view in the address, the choice of this tab applies.
  await demo.goTo('/?pace=fast');
  await expect(demo.viewPicker).toHaveValue(others[0]!);
  // The view in the address takes precedence, unless its name is unknown.
  await demo.goTo(`/?pace=fast&view=${first}`);
  await expect(demo.viewPicker).toHaveValue(first);
  await demo.goTo('/?pace=fast&view=cobol');
  await expect(demo.viewPicker).toHaveValue(others[0]!);
});

test(
  'a view that cannot be loaded shows a message, and the previous view keeps working',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await page.route('**/mount-chat*', (route) => route.abort());
    await demo.viewPicker.selectOption(others[0]!);
    await expect(page.getByRole('alert')).toContainText('could not be shown');
    await demo.ask('Add a card "All the same" to Todo');
    await expect(demo.card('All the same')).toBeVisible();
    await demo.viewPicker.selectOption(first);
    await expect(page.getByRole('alert')).toHaveCount(0);
    expect(demo.errors.splice(0).join()).toContain('net::ERR_FAILED');
  },
);
