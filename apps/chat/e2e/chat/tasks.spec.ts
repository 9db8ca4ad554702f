import { expectLooks } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

const title = 'Check the board for cards without an owner';
const asks = 'Question: Task “Clear Done” asks: Delete all cards in Done';

const stripOf = ({ page }: Demo) => page.getByRole('region', { name: 'Tasks in the background' });
const endOf = (demo: Demo, task: string) => demo.turns.filter({ hasText: `Task ended: ${task}` });

test('agents T2, T3, T5: the user goes on while a task runs; its end begins a turn that is no message of the user', async ({
  demo,
}) => {
  await demo.open('pace=fast&work=held');
  await demo.ask(`In the background, ${title.toLowerCase()}`);
  await expect(demo.conversation).toContainText('It runs in the background.');
  await expect(stripOf(demo)).toContainText(title);
  await expect(stripOf(demo)).toContainText('Helper · Working');
  await demo.ask('help');
  await expect(stripOf(demo)).toContainText('Working');
  await demo.hurry();
  await expect(endOf(demo, title)).toContainText('Helper · Completed');
  await expect(endOf(demo, title)).toContainText('Every card has an owner.');
  await expect(stripOf(demo)).toHaveCount(0);
  await expect(demo.conversation.locator('.user-message')).toHaveCount(2);
  await expect(endOf(demo, title).getByRole('button', { name: 'Edit message' })).toHaveCount(0);
  await demo.button('All chats').click();
  await expect(demo.chatRows).toHaveCount(1);
});

test('agents T1, T2: a task asks and says whose the question is, and its changes are taken back from its row, after a reload too', async ({
  demo,
}) => {
  await demo.open();
  await demo.ask('Clear Done in the background');
  await expect(demo.confirmations).toHaveAccessibleName(asks);
  await expect(stripOf(demo)).toContainText('Helper · Asking');
  await expect(demo.status).toHaveAttribute('data-phase', 'idle');
  await demo.approval().click();
  await expect(endOf(demo, 'Clear Done')).toContainText('Completed · 1 change');
  await demo.idle();
  await expect(demo.cards('Done')).toHaveCount(0);
  await demo.reload();
  await demo.button('Undo the task: Clear Done').click();
  await expect(demo.cards('Done')).toHaveCount(3);
  await expect(endOf(demo, 'Clear Done')).toContainText('Completed · taken back');
  await expect(demo.button('Undo the task: Clear Done')).toHaveCount(0);
});

test('agents T1: a task goes on after a reload', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=fast&work=held');
  await demo.ask(`In the background, ${title}`);
  await expect(stripOf(demo)).toContainText('Working');
  await demo.reload();
  await expect(stripOf(demo)).toContainText('Helper · Working');
  await demo.hurry();
  await expect(endOf(demo, title)).toContainText('Helper · Completed');
  await expect(demo.turns).toHaveCount(2);
});

test('agents T1: a task is stopped with the keyboard', async ({ demo, page }) => {
  await demo.open('pace=fast&work=held');
  await demo.ask(`In the background, ${title}`);
  await expect(stripOf(demo)).toContainText('Helper · Working');
  await demo.button(`Stop: ${title}`).focus();
  await page.keyboard.press('Enter');
  await expect(demo.message).toBeFocused();
  await demo.hurry();
  await expect(stripOf(demo)).toHaveCount(0);
  await expect(endOf(demo, title)).toContainText('Helper · Stopped');
});

test('agents T2: undo of the turn that started a task stops the task', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=fast&work=held');
  await demo.ask(`In the background, ${title}`);
  await expect(stripOf(demo)).toContainText('Working');
  await demo.undo.click();
  await demo.hurry();
  await expect(stripOf(demo)).toHaveCount(0);
});

for (const [width, height] of [
  [360, 740],
  [1440, 900],
] as const) {
  test.describe(`at ${width}x${height}`, () => {
    test.use({ viewport: { width, height } });

    test(
      'agents T1: running tasks, a question and an end are accessible and in sight, in light and dark mode',
      { tag: '@full' },
      async ({ demo, page }) => {
        await demo.open('pace=fast&work=held');
        await demo.ask(`In the background, ${title}`);
        await expect(demo.button(`Stop: ${title}`)).toBeInViewport({ ratio: 1 });
        await expectLooks(page);
        await demo.say('In the background, clear Done');
        await expect(demo.confirmations).toHaveAccessibleName(asks);
        await expect(demo.confirmations.locator('.question-title')).toBeInViewport();
        await expectLooks(page);
        await demo.refusal().click();
        await demo.hurry();
        await expect(endOf(demo, 'Clear Done')).toBeVisible();
        await expect(endOf(demo, title)).toBeVisible();
        await expectLooks(page);
      },
    );
  });
}
