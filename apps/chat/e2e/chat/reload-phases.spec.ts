import { expect, test, type Demo } from '../fixture.js';

const adding = 'Add a card "One" to Todo';

/**
 * Reloads the page as if it had ended directly after an operation of the work that `begin` starts. The
 * reloaded page has no fault.
 */
async function endAt(demo: Demo, operation: string, begin: () => Promise<void>): Promise<void> {
  await demo.cutAt(operation);
  await begin();
  await demo.recorded(operation);
  await demo.goTo(`/?view=${demo.view}&pace=fast`);
  await expect(demo.grip.getByRole('button')).not.toHaveCount(0);
}

/** Expects that a turn took effect and can be undone. */
async function expectDone(demo: Demo): Promise<void> {
  await demo.idle();
  await expect(demo.interruption).toHaveCount(0);
  await expect(demo.card('One')).toHaveCount(1);
  await expect(demo.conversation.getByRole('article')).toHaveCount(1);
  await demo.undo.click();
  await expect(demo.redo).toBeEnabled();
  await expect(demo.card('One')).toHaveCount(0);
}

/** Expects that a turn has left nothing on the board. */
async function expectTakenBack(demo: Demo): Promise<void> {
  await demo.idle();
  await expect(demo.interruption).toHaveCount(0);
  await expect(demo.card('One')).toHaveCount(0);
  await expect(demo.undo).toHaveCount(0);
  await expect(demo.message).toBeEditable();
}

const beginnings = [
  { phase: 'preparing', operation: 'turnStarted', query: '' },
  { phase: 'streaming', operation: 'modelCallStarted', query: '' },
  { phase: 'retrying', operation: 'retrying', query: '&fault=busy' },
] as const;

for (const { phase, operation, query } of beginnings) {
  test(
    `V2: a turn that a reload interrupted while it was ${phase} continues with Continue`,
    { tag: '@full' },
    async ({ demo }) => {
      await demo.open(`pace=fast${query}`);
      await endAt(demo, operation, () => demo.say(adding));
      await expect(demo.interruption).toContainText('Interrupted');
      await demo.button('Continue').click();
      await expectDone(demo);
    },
  );

  test(
    `V2: a turn that a reload interrupted while it was ${phase} can be undone`,
    { tag: '@full' },
    async ({ demo }) => {
      await demo.open(`pace=fast${query}`);
      await endAt(demo, operation, () => demo.say(adding));
      await demo.button('Take back').click();
      await expectTakenBack(demo);
    },
  );
}

for (const [answer, expectAnswered] of [
  ['Keep', expectDone],
  ['Take back', expectTakenBack],
] as const) {
  test(
    `V2: the changes of a review that was open at a reload are still there, and accept the answer ${answer}`,
    { tag: '@full' },
    async ({ demo, page }) => {
      await demo.open();
      await endAt(demo, 'reviewOpened', () =>
        page.evaluate((text) => {
          void window.__banister.chat.session.peek().send(text, { commit: 'review' });
        }, adding),
      );
      await expect(demo.grip).toContainText('1 to review');
      await expect(demo.card('One')).toHaveAttribute('data-state', 'staged');
      await demo.grip.getByRole('button', { name: answer, exact: true }).click();
      await expectAnswered(demo);
    },
  );
}

test(
  'V2: a turn that a reload interrupted while it was committing is finished, and can be undone',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await endAt(demo, 'commitStarted', () => demo.say(adding));
    await expect(demo.interruption).toContainText('Interrupted at its end 1 of 1');
    await expect(demo.button('Take back')).toHaveCount(0);
    await demo.button('Finish').click();
    await expectDone(demo);
  },
);

test(
  'V2: a turn that a reload interrupted while it was rolling back is rolled back completely',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&fault=stall');
    await endAt(demo, 'rollbackStarted', async () => {
      await demo.say('Add cards "One", "Two" and "Three" to Todo');
      await expect(demo.card('Three')).toBeVisible();
      await demo.phase('streaming');
      await demo.stop.click();
    });
    await expect(demo.interruption).toContainText('Interrupted while it was taken back');
    await demo.button('Finish').click();
    await expectTakenBack(demo);
    await expect(demo.card('Three')).toHaveCount(0);
  },
);

test(
  'V3: an undo and a redo that a reload interrupted are each finished',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask(adding);
    await endAt(demo, 'undoStarted', () => demo.undo.click());
    await expect(demo.interruption).toContainText('The undo was interrupted');
    await demo.button('Finish').click();
    await expect(demo.redo).toBeEnabled();
    await expect(demo.card('One')).toHaveCount(0);

    await endAt(demo, 'redoStarted', () => demo.redo.click());
    await expect(demo.interruption).toContainText('The redo was interrupted');
    await demo.button('Finish').click();
    await expectDone(demo);
  },
);
