import { expect, test, type Demo } from '../fixture.js';

/** Begins a turn of several steps. The first step ends when the page hurries. */
async function beginToWork(demo: Demo): Promise<void> {
  await demo.open('pace=fast&work=held');
  await demo.say('Plan a product launch');
  await demo.phase('executing');
}

test('a message steers the running turn, and is drawn at the step that it joined', async ({ demo }) => {
  await beginToWork(demo);
  await demo.message.fill('Also add a card "Thank the team" to Doing');
  await expect(demo.page.locator('.composer-hint')).toHaveText(/^Enter to queue, .+ to steer$/);
  await demo.message.press('Control+Enter');
  await expect(demo.message).toHaveValue('');
  await expect(demo.queue).toContainText('Joins at the next step');
  await expect(demo.queue.getByRole('button')).toHaveCount(1);
  await demo.hurry();
  await demo.idle();

  await expect(demo.queue).toHaveCount(0);
  await expect(demo.turns).toHaveCount(1);
  const joined = demo.turns.locator('.steering');
  await expect(joined).toContainText('Also add a card "Thank the team" to Doing');
  // The message is after the step that ran, and before the next step.
  const order = await demo.turns.locator('.steering, [data-tool]').evaluateAll((elements) => {
    const at = elements.findIndex((element) => element.matches('.steering'));
    return [at > 0, at < elements.length - 1];
  });
  expect(order).toEqual([true, true]);
  await expect(demo.card('Thank the team')).toBeVisible();
  await expect(demo.card('Walk through the checklist')).toBeVisible();
  await expect(demo.turns).toContainText('Added “Thank the team” to Doing.');
});

test(
  'a message steers with the button too, and “stop” ends the work and keeps its changes',
  { tag: '@full' },
  async ({ demo }) => {
    await beginToWork(demo);
    await demo.message.fill('That is enough');
    await demo.button('Steer').click();
    await expect(demo.message).toBeFocused();
    await demo.hurry();
    await demo.idle();
    await expect(demo.turns).toContainText('As you say, I stop here.');
    await expect(demo.card('Walk through the checklist')).toHaveCount(0);
  },
);

test('a steering message that is removed never joins', { tag: '@full' }, async ({ demo }) => {
  await beginToWork(demo);
  await demo.message.fill('That is enough');
  await demo.message.press('Control+Enter');
  await (await demo.action(demo.queue, 'Remove')).press('Enter');
  await expect(demo.queue).toHaveCount(0);
  await expect(demo.message).toBeFocused();
  await demo.hurry();
  await demo.idle();
  await expect(demo.turns.locator('.steering')).toHaveCount(0);
});

test('after Stop a steering message waits in the queue', { tag: '@full' }, async ({ demo, page }) => {
  // The only answer of this turn stalls, so no step ends before Stop.
  await demo.open('pace=fast&fault=stall');
  await demo.say('What can you do?');
  await demo.phase('streaming');
  await demo.message.fill('Add a card "Tea" to Todo');
  await demo.message.press('Control+Enter');
  await expect(demo.queue).toHaveCount(1);
  await demo.stop.click();
  await demo.idle();
  await expect(demo.turns.locator('.steering')).toHaveCount(0);
  await expect(page.getByRole('region', { name: 'Queue' })).toContainText('Paused: you stopped the turn.');
  await expect(demo.queue).toContainText('Add a card "Tea" to Todo');
  await demo.button('Continue the queue').click();
  await expect(demo.card('Tea')).toBeVisible();
  await demo.idle();
});
