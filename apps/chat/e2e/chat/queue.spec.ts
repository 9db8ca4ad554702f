import type { Locator } from '@playwright/test';
import { expect, test, type Demo } from '../fixture.js';
import { expectRightToLeft } from '../text-direction.js';

const add = (title: string) => `Add a card "${title}" to Doing`;
/** Long enough that a fault occurs in its answer. */
const first = add('The first of all cards');
const row = ({ queue }: Demo, title: string): Locator => queue.filter({ hasText: `"${title}"` });
const actions = (of: Locator): Locator => of.getByRole('button', { name: /^Actions for / });

/** Begins a turn that lasts until it is stopped, and queues messages after it with Enter. */
async function queueBehind(demo: Demo, ...titles: readonly string[]): Promise<void> {
  await demo.open('pace=fast&fault=stall');
  await demo.say(first);
  await demo.phase('streaming');
  for (const [index, title] of titles.entries()) {
    await demo.message.fill(add(title));
    await demo.message.press('Enter');
    await expect(demo.queue).toHaveCount(index + 1);
  }
}

test('a queued message is edited, moved and removed in one menu, with the keyboard', async ({
  demo,
  page,
}) => {
  await queueBehind(demo, 'One', 'Two', 'Three');
  await expect(demo.message).toBeFocused();
  await expect(demo.message).toHaveValue('');
  await expect(row(demo, 'One')).toContainText('Next');

  await (await demo.action(row(demo, 'Three'), 'Up')).press('Enter');
  await expect(demo.queue).toContainText([/One/, /Three/, /Two/]);
  await expect(actions(row(demo, 'Three'))).toBeFocused();
  await (await demo.action(row(demo, 'Three'), 'Up')).press('Enter');
  await expect(demo.queue).toContainText([/Three/, /One/, /Two/]);
  // At the upper end a message says that the row cannot move further. Escape closes the menu, and stops
  // nothing.
  const up = await demo.action(row(demo, 'Three'), 'Up');
  await expect(up).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('ArrowDown');
  await expect(up).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await expect(row(demo, 'Three').getByRole('menuitem', { name: 'Remove' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(actions(row(demo, 'Three'))).toBeFocused();
  await expect(demo.queue).toContainText([/Three/, /One/, /Two/]);
  await demo.phase('streaming');

  await (await demo.action(row(demo, 'Two'), 'Edit')).press('Enter');
  const editor = page.getByRole('textbox', { name: 'Queued message' });
  await expect(editor).toBeFocused();
  await editor.fill(add('Second'));
  await editor.press('Enter');
  await expect(actions(row(demo, 'Second'))).toBeFocused();

  await (await demo.action(row(demo, 'One'), 'Remove')).press('Enter');
  await expect(demo.queue).toContainText([/Three/, /Second/]);
  await expect(actions(row(demo, 'Second'))).toBeFocused();

  await demo.stop.click();
  await expect(demo.page.getByRole('region', { name: 'Queue' })).toContainText(
    'Paused: you stopped the turn.',
  );
  await demo.button('Continue the queue').press('Enter');
  await expect(demo.card('Second')).toBeVisible();
  await demo.idle();
  await expect(demo.queue).toHaveCount(0);
  await expect(demo.message).toBeFocused();
  expect((await demo.titles('Doing')).slice(-2)).toEqual(['Three', 'Second']);
});

test('a row is dragged to another place', { tag: '@full' }, async ({ demo, page }) => {
  await queueBehind(demo, 'One', 'Two', 'Three');
  const grip = row(demo, 'Three').locator('[data-grip]');
  const from = (await grip.boundingBox())!;
  const to = (await row(demo, 'One').boundingBox())!;
  await page.mouse.move(from.x + 8, from.y + 8);
  await page.mouse.down();
  await page.mouse.move(to.x + 20, to.y + 2, { steps: 5 });
  await expect(row(demo, 'One')).toHaveAttribute('data-drop', 'before');
  await page.mouse.up();
  await expect(demo.queue).toContainText([/Three/, /One/, /Two/]);
  await expect(demo.queue.locator('[data-drop]')).toHaveCount(0);
});

test(
  'the next message starts automatically, and a text that was being edited goes to the composer',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&work=slow');
    await demo.say(first);
    await demo.phase('executing');
    await demo.message.fill(add('One'));
    await demo.message.press('Enter');
    await (await demo.action(row(demo, 'One'), 'Edit')).click();
    await page.getByRole('textbox', { name: 'Queued message' }).fill(add('Another'));
    await demo.hurry();
    await expect(demo.card('One')).toBeVisible();
    await demo.idle();
    await expect(demo.message).toHaveValue(add('Another'));
    await expect(demo.message).toBeFocused();
  },
);

test(
  'a failure pauses the queue; removing the last message gives the focus to the composer',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open('pace=fast&work=slow&fault=error');
    await demo.say(first);
    await demo.phase('executing');
    await demo.message.fill(add('One'));
    await demo.message.press('Enter');
    await demo.hurry();
    await expect(page.getByRole('region', { name: 'Queue' })).toContainText('Paused: the turn failed.');
    await (await demo.action(row(demo, 'One'), 'Remove')).press('Enter');
    await expect(demo.queue).toHaveCount(0);
    await expect(demo.message).toBeFocused();
  },
);

test('a message is shown in the direction of its script', { tag: '@full' }, async ({ demo }) => {
  await queueBehind(demo, 'One');
  await demo.message.fill('שלום!');
  await demo.message.press('Enter');
  const text = demo.queue.last().locator('.queue-text');
  await expect(text).toHaveText('שלום!');
  await expectRightToLeft(text);
});

test('a queue waits for an interrupted turn', { tag: '@full' }, async ({ demo, page }) => {
  await queueBehind(demo, 'One');
  await demo.recorded('queued');
  await demo.open();
  const queue = page.getByRole('region', { name: 'Queue' });
  await expect(queue).toContainText('Paused: the page was closed or loaded again.');
  await expect(demo.button('Continue the queue')).toHaveCount(0);
  await demo.interruption.getByRole('button', { name: 'Take back' }).click();
  await expect(queue).toContainText('Paused: the turn was interrupted.');
  await demo.button('Continue the queue').click();
  await expect(demo.card('One')).toBeVisible();
  await demo.idle();
});

test('a queue survives a reload, and waits', { tag: '@full' }, async ({ demo, page }) => {
  await queueBehind(demo, 'One');
  await demo.stop.click();
  await demo.idle();
  // If the page closes before the end of the turn is stored, the next page has an interrupted turn.
  await demo.stored();
  await demo.open();
  await expect(page.getByRole('region', { name: 'Queue' })).toContainText(
    'Paused: the page was closed or loaded again.',
  );
  await demo.button('Continue the queue').click();
  await expect(demo.card('One')).toBeVisible();
  await demo.idle();
});
