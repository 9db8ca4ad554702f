import { expect, test } from '../fixture.js';
import { longConversation } from '../long-conversation.js';

test('the answer arrives in pieces, and the live region is silent meanwhile', async ({ demo, page }) => {
  await demo.open('pace=slow');
  await demo.say('help');

  await demo.phase('streaming');
  await expect(demo.conversation).toHaveAttribute('aria-busy', 'true');
  await expect(demo.conversation).toHaveAttribute('aria-live', 'off');
  const answer = demo.conversation.locator('.answer');
  await expect(answer).toContainText('No model here');
  const early = await answer.innerText();
  await expect.poll(async () => (await answer.innerText()).length).toBeGreaterThan(early.length);

  await demo.hurry();
  await demo.idle();
  await expect(demo.conversation).toHaveAttribute('aria-busy', 'false');
  await expect(answer).toContainText('without a key and without a network');
  await expect(demo.status).toHaveText('Nothing to undo yet');
  // A screen reader gets the answer once, as a whole.
  await expect(page.locator('p[aria-live="polite"]')).toContainText('No model here: a set of rules');
});

test(
  'the text for screen readers has no marks of Markdown in it',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask('Add a card "**Strong** and `code`" to Todo');
    await expect(page.locator('p[aria-live="polite"]')).toHaveText('Added “Strong and code” to Todo.');
  },
);

test(
  'How shows the lines of the view that is on the screen',
  { tag: '@full' },
  async ({ demo, page, view }) => {
    await demo.open();
    await demo.button('How it works').click();
    const lines = page.getByRole('complementary', { name: 'How it works' }).locator('figure').nth(1);
    await expect(lines).toContainText(
      {
        react: 'useSignalValue(session.turns)',
        vue: 'useSignal(() => session.turns)',
        svelte: 'fromSignal(session.turns)',
      }[view],
    );
  },
);

test('thinking can be read while it is written, folds away, and opens again', async ({ demo }) => {
  // The model stalls in the middle of a thought. Otherwise the thought could be over before a slow machine
  // looks.
  await demo.open('pace=fast&fault=stall-thinking');
  await demo.say('List the cards');
  const thinking = demo.conversation.locator('.thinking');
  await expect(thinking).toHaveText(/^\s*Thinking…\s*I only have to$/);
  await demo.stop.click();
  await demo.idle();
  await expect(thinking.getByRole('button', { name: /^Thought for / })).toHaveAttribute(
    'aria-expanded',
    'false',
  );

  await demo.ask('List the cards');
  const toggle = thinking.last().getByRole('button', { name: 'Thought for a moment' });
  await expect(toggle).toHaveAttribute('aria-expanded', 'false');
  await toggle.click();
  await expect(thinking.last()).toContainText('I only have to read.');
});

test(
  'a call that a reader unfolded while its turn ran is still unfolded at its end, and has the focus',
  { tag: '@full' },
  async ({ demo, page }) => {
    // The model stalls after the call. Otherwise the turn could be over before a slow machine looks.
    await demo.open('pace=fast&fault=stall');
    await demo.say('Add a card "Still open" to Todo');
    const toggle = demo.tool('board.add_card').getByRole('button').first();
    await expect(toggle).toContainText('Done');
    await expect(toggle).toHaveAttribute('aria-expanded', 'false');
    await toggle.click();
    await demo.phase('streaming');
    const early = await toggle.elementHandle();

    // Cancels without the Stop button, which would take the focus.
    await page.evaluate(() => void window.__banister.chat.session.peek().cancel({ sideEffects: 'keep' }));
    await demo.idle();
    await expect(toggle).toHaveAttribute('aria-expanded', 'true');
    await expect(toggle).toBeFocused();
    expect(await toggle.evaluate((late, before) => late === before, early)).toBe(true);
  },
);

test(
  'a selection made while text streamed is there when the turn has ended',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=slow');
    await demo.say('help');
    const answer = demo.conversation.locator('.answer');
    await expect(answer).toContainText('No model here: a set of rules');
    await answer.evaluate((element) => {
      const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()!;
      getSelection()!.setBaseAndExtent(text, 0, text, 'No model here'.length);
    });
    await demo.phase('streaming');
    await demo.hurry();
    await demo.idle();
    expect(await page.evaluate(() => getSelection()!.toString())).toBe('No model here');
  },
);

test(
  'a reader who scrolled up in the first turn keeps their place when it ends',
  { tag: '@full' },
  async ({ demo, page }) => {
    await page.setViewportSize({ width: 1280, height: 340 });
    await demo.open('pace=fast&fault=stall');
    const titles = Array.from({ length: 10 }, (_, index) => `"Card ${index + 1}"`);
    await demo.say(`Add cards ${titles.join(', ')} to Todo`);
    await expect(demo.tool('board.add_card').last()).toContainText('Done');
    await demo.phase('streaming');
    const top = () => demo.conversation.evaluate((log) => log.scrollTop);
    await expect.poll(top).toBeGreaterThan(250);
    const end = await top();
    await demo.conversation.hover();
    // Scrolls so far that the place still exists at the end of the turn, when the steps are folded and the
    // receipt is short.
    await page.mouse.wheel(0, -200);
    await expect.poll(top).toBe(end - 200);
    await demo.stop.click();
    await demo.idle();
    await expect(demo.receipt).toBeAttached();
    expect(await top()).toBe(end - 200);
  },
);

test(
  'an answered call shows its answer while other calls wait for answers',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.say('Delete three cards from Done');
    await expect(demo.confirmations).toHaveCount(3);
    const states = demo.tool('board.delete_card').locator('.question-answer');
    await expect(states).toHaveCount(0);
    await demo.refusal(demo.confirmations.nth(0)).click();
    await expect(states).toHaveText(['You refused']);
    await demo.approval(demo.confirmations.nth(0)).click();
    await expect(states).toHaveText(['You refused', 'Approved']);
    await demo.unmount();
    await demo.mount();
    await expect(states).toHaveText(['You refused', 'Approved']);
    await demo.approval(demo.confirmations).click();
    await demo.idle();
    await demo.openGroups();
    await expect(demo.tool('board.delete_card').locator('.step-word')).toHaveText([
      'You refused',
      'Done',
      'Done',
    ]);
  },
);

test(
  'a second send is refused while a turn runs, and the composer queues in its place',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=slow');
    await demo.say('Plan a product launch');
    await demo.phase('streaming');
    await expect(demo.send).toHaveCount(0);
    await demo.message.fill('Clear Done');
    await demo.message.press('Enter');
    await expect(demo.message).toHaveValue('');
    await expect(demo.queue).toContainText('Clear Done');

    const code = await page.evaluate(() =>
      window.__banister.chat.session
        .peek()
        .send('Clear Done')
        .then(
          () => 'accepted',
          (error: { code: string }) => error.code,
        ),
    );
    expect(code).toBe('already-running');
    await expect(demo.conversation.locator('.user-message')).toHaveCount(1);
    await demo.stop.click();
    await demo.idle();
  },
);

test('invisible characters of a message are shown by their code', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.ask('Add a card "invoice\u202Efdp.exe" to Todo');
  await expect(demo.cardTitles('Todo').last()).toHaveText('invoice⟨U+202E⟩fdp.exe');
  await expect(demo.conversation.locator('.user-message')).toContainText('⟨U+202E⟩');
});

test(
  'invisible characters of a tool’s name are shown by their code, in its accessible name too',
  { tag: '@full' },
  async ({ demo, page }) => {
    const conversation = longConversation(1);
    const call = {
      type: 'tool-call',
      id: 'call_1',
      tool: 'board.\u202Edrac_dda',
      index: 0,
      state: 'settled',
      argumentsText: '{}',
      arguments: {},
      result: { outcome: 'failed', content: [{ type: 'text', text: 'There is no such tool.' }] },
    };
    const [turn] = conversation.turns;
    const answer = { id: 'answer_1', role: 'assistant', parts: [{ type: 'text', text: 'Done.' }] };
    const saved = {
      ...conversation,
      turns: [{ record: { ...turn!.record, rounds: [{ parts: [call] }] }, messages: ['input', answer] }],
    };
    await page.addInitScript(
      (text) => sessionStorage.setItem('banister.conversation', text),
      JSON.stringify(saved),
    );
    await demo.open();
    await expect(demo.tool('board.⟨U+202E⟩drac_dda')).toBeVisible();
  },
);

test('R4 text of a model is never markup', async ({ demo, page }) => {
  await demo.open();
  await demo.ask('Add a card "<img src=x onerror=document.title=1><b>hi</b>" to Todo');
  await expect(demo.cards('Todo').last()).toContainText('<b>hi</b>');
  await expect(page.locator('main img')).toHaveCount(0);
  await expect(page).toHaveTitle('Banister');
});
