import { readFile } from 'node:fs/promises';
import { expect, test, type Demo } from '../fixture.js';

/** Reloads the page while the second of three cards is being added. */
async function interruptedAdds(demo: Demo): Promise<void> {
  await demo.open('pace=fast&work=slow');
  await demo.say('Add cards "One", "Two" and "Three" to Todo');
  await expect(demo.card('One')).toBeVisible();
  await expect(demo.ghosts().first()).toHaveAttribute('data-ghost', 'executing');
  await demo.recorded('toolStarted', 2);
  await demo.reload();
  await expect(demo.interruption).toBeVisible();
}

/** Reloads the page while the question about a deletion is open. */
async function openQuestion(demo: Demo): Promise<void> {
  await demo.open();
  await demo.say('Delete "Draw the logo"');
  await expect(demo.confirmations).toHaveCount(1);
  await demo.recorded('confirmationRequested');
  await demo.reload();
}

/** Opens the demo and lets a turn add a card, "Still here". */
async function addedCard(demo: Demo): Promise<void> {
  await demo.open();
  await demo.ask('Add a card "Still here" to Todo');
}

test(
  'V2: a turn that a reload interrupted says so, and Take back undoes what ran',
  {
    tag: '@full',
  },
  async ({ demo, page }) => {
    await interruptedAdds(demo);

    await expect(demo.status).toHaveText('Interrupted 1 of 3');
    await expect(demo.tool('board.add_card').nth(1)).toContainText('Not known if it ran');
    await expect(demo.receipt).toHaveCount(0);
    await expect(demo.card('One')).toBeVisible();
    await expect(demo.tool('board.add_card').nth(2)).toContainText('Not started');
    await expect(demo.ghosts()).toHaveCount(0);

    await demo.button('Take back').click();
    await expect(demo.interruption).toHaveCount(0);
    await expect(demo.message).toBeFocused();
    await demo.idle();
    await expect(demo.card('One')).toHaveCount(0);
    // The board knows that the call ran.
    await expect(demo.card('Two')).toHaveCount(0);
    await expect(demo.conversation).not.toContainText('Not known');
    await expect(demo.receipt).toContainText('2 of 2 changes taken back');
    await expect(demo.tool('board.add_card').last()).toContainText('Not started');
    await expect(demo.receipt).not.toContainText('board.');
    await expect(page.locator('.problem')).toHaveCount(0);
    await expect(demo.button('Try again')).toBeVisible();
  },
);

test('audit-V6 V2: a turn that a reload interrupted continues with Continue, completes its cut step, and is undone as one', async ({
  demo,
}) => {
  await interruptedAdds(demo);
  await demo.hurry();
  await demo.button('Continue').click();
  await expect(demo.card('Three')).toBeVisible();
  await demo.idle();
  await expect(demo.interruption).toHaveCount(0);
  await expect(demo.grip).toHaveAttribute('data-kind', 'held');
  await expect(demo.conversation).not.toContainText('Not known if it ran');
  await expect(demo.card('Two')).toHaveCount(1);
  await demo.undo.click();
  await demo.redo.waitFor();
  for (const title of ['One', 'Two', 'Three']) await expect(demo.card(title)).toHaveCount(0);
});

test(
  'V2: a turn that was interrupted in the middle of an answer requests it again with Continue, even after a second reload',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&fault=stall');
    await demo.say('What is on the board?');
    await demo.phase('streaming');
    await demo.reload();
    await expect(demo.interruption).toBeVisible();
    await demo.goTo(`/?view=${demo.view}&pace=fast`);
    await expect(demo.interruption).toBeVisible();
    await demo.button('Continue').press('Enter');
    await demo.idle();
    await expect(demo.status).toHaveText('Nothing to undo yet');
    await expect(demo.conversation.getByRole('article')).toHaveCount(1);
  },
);

test('V2: after a reload in the middle of an answer, and of a rollback, the board shows no trace of a call that has not started', async ({
  demo,
}) => {
  const adding = 'Add cards "One", "Two" and "Three" to Todo';
  await demo.open('pace=slow');
  await demo.say(adding);
  await expect(demo.ghosts().nth(1)).toBeVisible();
  await demo.recorded('toolCallPartial', 4);
  await demo.reload();
  await expect(demo.interruption).toContainText('Interrupted');
  await expect(demo.tool('board.add_card').first()).toContainText('Not started');
  await expect(demo.ghosts()).toHaveCount(0);
  await demo.button('Take back').click();
  await demo.idle();

  await demo.open('pace=fast&work=slow');
  // The new chat has its own log.
  await demo.button('New chat').click();
  await demo.cutAt('rollbackStarted');
  await demo.say(adding);
  await expect(demo.card('One')).toBeVisible();
  await demo.stop.click();
  await demo.recorded('rollbackStarted');
  await demo.goTo(`/?view=${demo.view}&pace=fast`);
  await expect(demo.interruption).toContainText('Interrupted while it was taken back');
  await expect(demo.ghosts()).toHaveCount(0);
});

test(
  'V2: a turn that was being stopped at a reload can only be finished: what ran is undone',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&work=slow');
    await demo.say('Add cards "One" and "Two" to Todo');
    await expect(demo.card('One')).toBeVisible();
    await demo.stop.click();
    await demo.phase('cancelling');
    await demo.recorded('cancelRequested');
    await demo.reload();
    await expect(demo.interruption).toContainText('Interrupted while it was taken back');
    await expect(demo.button('Take back')).toHaveCount(0);
    await demo.button('Finish').click();
    await demo.idle();
    await expect(demo.card('One')).toHaveCount(0);
    await expect(demo.receipt).toContainText('You stopped this turn');
  },
);

test(
  'a full storage is shown, and the chat continues unsaved until there is room again',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask('Add a card "Saved" to Todo');
    await expect(demo.mark).toHaveText('Saved on this device');
    await demo.refuseWrites();
    // The turn in which the write is refused fails. The next turns run without a log.
    await demo.ask('Add a card "Refused" to Todo');
    await expect(demo.grip).toHaveAttribute('data-kind', 'failed');
    const problem = page.getByRole('status', { name: 'Saving' });
    await expect(problem).toContainText('Not saved: The browser has no room for more conversations.');
    await demo.ask('Add a card "Unsaved" to Todo');
    await expect(demo.card('Unsaved')).toBeVisible();
    await expect(problem).toContainText('no room');
    // If the chat is left and shown again, it still has the unsaved turns.
    await demo.button('New chat').click();
    await expect(demo.turns).toHaveCount(0);
    await demo.button('All chats').click();
    await demo.chatRows.filter({ hasText: 'Saved' }).locator('.chat-open').click();
    await expect(demo.turns).toHaveCount(3);
    const downloading = page.waitForEvent('download');
    await demo.button('Export').click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('Add a card "Saved" to Todo.jsonl'.replaceAll('"', '_'));
    expect(await readFile(await file.path(), 'utf8')).toContain('Unsaved');

    await demo.takeWrites();
    await demo.ask('Add a card "Saved again" to Todo');
    await expect(demo.mark).toHaveText('Saved on this device');
    await expect(problem).toBeEmpty();
    await demo.reload();
    await expect(demo.conversation.getByRole('article')).toHaveCount(4);
    await expect(demo.card('Unsaved')).toBeVisible();
  },
);

test(
  'V2: a question that was open at a reload can be answered after it',
  { tag: '@full' },
  async ({ demo }) => {
    await openQuestion(demo);
    await expect(demo.interruption).toContainText('Answer the question first interrupted, no time runs');
    await expect(demo.board).toContainText('Draw the logo');
    await demo.approval().click();
    await demo.idle();
    await expect(demo.confirmations).toHaveCount(0);
    await expect(demo.interruption).toHaveCount(0);
    await expect(demo.card('Draw the logo')).toHaveCount(0);
  },
);

test(
  'a text that is being written is there after a reload, and once sent it does not come back',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.message.fill('Add a card "Tea" to Todo');
    await demo.reload();
    await expect(demo.message).toHaveValue('Add a card "Tea" to Todo');
    await demo.send.click();
    await expect(demo.card('Tea')).toBeVisible();
    await demo.idle();
    await demo.reload();
    await expect(demo.message).toHaveValue('');
  },
);

test('audit-V5 after a reload open questions have one set of actions, and the words say that they have no deadline', async ({
  demo,
}) => {
  await demo.open();
  await demo.say('Delete three cards from Done');
  await expect(demo.confirmations).toHaveCount(3);
  await demo.recorded('confirmationRequested', 3);
  await demo.reload();
  await expect(demo.status).toHaveText('Answer 3 questions first interrupted, no time runs');
  const [width, room] = await demo.grip
    .locator('.grip-words')
    .evaluate((words) => [words.scrollWidth, words.clientWidth]);
  expect(width, 'the words are read to their end').toBeLessThanOrEqual(room!);
  await expect(demo.grip.getByRole('button')).toHaveText([/Take back/]);
  await expect(demo.button('Approve all 3')).toBeVisible();
  await demo.approval().first().click();
  await expect(demo.confirmations).toHaveCount(2);
  // The turn continues: its clock runs again, and Stop is shown.
  await expect(demo.interruption).toHaveCount(0);
  await expect(demo.grip).toContainText('left, then no');
  await expect(demo.stop).toBeVisible();
});

test(
  'V2: several questions that were open at a reload are answered with one press',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.say('Delete three cards from Done');
    await expect(demo.confirmations).toHaveCount(3);
    await demo.recorded('confirmationRequested', 3);
    await demo.reload();
    await expect(demo.confirmations).toHaveCount(3);
    await demo.button('Approve all 3').click();
    await demo.idle();
    await expect(demo.confirmations).toHaveCount(0);
    await expect(demo.interruption).toHaveCount(0);
    await expect(demo.grip).toContainText('3 changes');
  },
);

test(
  'V2: the call of a question that was open at a reload never ran if the turn is undone',
  { tag: '@full' },
  async ({ demo }) => {
    await openQuestion(demo);
    await demo.button('Take back').click();
    await expect(demo.confirmations).toHaveCount(0);
    await expect(demo.receipt.locator('[data-kind="never-ran"]')).toContainText('Delete “Draw the logo”');
    await expect(demo.card('Draw the logo')).toBeVisible();
  },
);

test('V2: a published board is still published after a reload', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.say('Publish the board for everyone');
  await demo.approval().click();
  await demo.idle();
  await expect(demo.board).toContainText('Published for everyone');
  await demo.reload();
  await expect(demo.board).toContainText('Published for everyone');
});

test(
  'V3: a turn from before a reload can be undone and redone after it',
  { tag: '@full' },
  async ({ demo, page }) => {
    await addedCard(demo);
    await demo.reload();
    await expect(demo.card('Still here')).toBeVisible();
    await demo.undo.click();
    await expect(demo.card('Still here')).toHaveCount(0);
    // Waits until the undo has ended. If the page closed earlier, the next page would have an unfinished
    // undo.
    await expect(demo.redo).toBeEnabled();
    await demo.reload();
    await demo.redo.click();
    await expect(demo.card('Still here')).toBeVisible();
    await expect(page.getByText('can no longer be undone')).toHaveCount(0);
  },
);

test(
  'V3: undoing a turn from before a reload keeps later edits of the user, and says so',
  { tag: '@full' },
  async ({ demo }) => {
    await addedCard(demo);
    await demo.rename('Still here', 'Mine now');
    await demo.reload();
    await demo.undo.click();
    await expect(demo.receipt).toContainText('“Mine now” was changed since, and stays as it is.');
    await expect(demo.card('Mine now')).toBeVisible();
  },
);

test(
  "V3: after a reload the chat says that the user's earlier edits cannot be undone",
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.rename('Draw the logo', 'Still here');
    await expect(page.getByText('can no longer be undone')).toHaveCount(0);
    await demo.reload();
    await expect(demo.undo).toHaveCount(0);
    await expect(
      page.getByText('Changes from before this page was loaded can no longer be undone.'),
    ).toBeVisible();
    await demo.button('Fresh board').click();
    await expect(demo.card('Still here')).toHaveCount(0);
    await expect(page.getByText('can no longer be undone')).toHaveCount(0);
    await expect(demo.message).toBeFocused();
    // This is an edit of the user, and can be undone.
    await demo.undo.click();
    await expect(demo.card('Still here')).toBeVisible();
  },
);

test(
  'V3: after New chat the chat says that each chat undoes its own changes, until a turn can be undone',
  {
    tag: '@full',
  },
  async ({ demo, page }) => {
    await addedCard(demo);
    await demo.button('New chat').click();
    const notice = page.getByText('Changes of other chats are on the board. Each chat can undo its own.');
    await expect(notice).toBeVisible();
    await demo.ask('Add a card "Newer" to Todo');
    await expect(notice).toHaveCount(0);
    await demo.undo.click();
    await demo.redo.waitFor();
    await demo.button('New chat').click();
    await demo.button('Fresh board').click();
    await expect(demo.titles('Todo')).resolves.toEqual([
      'Interview five customers',
      'Decide on pricing',
      'Sketch the landing page',
    ]);
    await demo.reload();
    await expect(page.getByText('can no longer be undone')).toHaveCount(0);
  },
);
