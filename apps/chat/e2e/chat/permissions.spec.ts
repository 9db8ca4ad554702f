import { expectAccessible } from '../accessible.js';
import type { Locator } from '@playwright/test';
import { expect, test, type Demo } from '../fixture.js';

test.beforeEach(({ demo }) => demo.open());

const picker = (demo: Demo) => demo.page.getByRole('combobox', { name: 'Changes' });
/** Opens the menu of a question, and chooses how long its approval is remembered and for which calls. */
async function remember(question: Locator, time: string, scope: string): Promise<void> {
  await question.locator('.remember > summary').click();
  await question.getByRole('radio', { name: time }).check();
  await question.getByRole('radio', { name: scope }).check();
}

const allowed = (demo: Demo) => demo.page.locator('.permissions');

test('“Plan only” denies a change, and the chat says so; “Act at once” makes it', async ({ demo }) => {
  await picker(demo).selectOption('Plan only');
  await demo.ask('Add a card "Tea" to Todo');
  await expect(demo.card('Tea')).toHaveCount(0);
  await expect(demo.tool('board.add_card')).toContainText('Refused');
  await expect(demo.conversation).toContainText('Now I am only allowed to look, and not to change anything.');
  await picker(demo).selectOption('Act at once');
  await demo.ask('Add a card "Tea" to Todo');
  await expect(demo.card('Tea')).toHaveCount(1);
});

test('“Plan only” closes an open question', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Delete "Draw the logo"');
  await expect(demo.confirmations).toHaveCount(1);
  await picker(demo).selectOption('Plan only');
  await expect(demo.confirmations).toHaveCount(0);
  await demo.idle();
  await expect(demo.card('Draw the logo')).toHaveCount(1);
});

test('“Ask first” asks; what is allowed for this chat is asked again after it is revoked', async ({
  demo,
}) => {
  await picker(demo).selectOption('Ask first');
  await demo.say('Add a card "Tea" to Todo');
  const asked = demo.confirmation('board.add_card');
  await remember(asked, 'For this chat', 'Every “Add a card”');
  await expectAccessible(demo.page);
  await demo.approval(asked).click();
  await demo.idle();
  await demo.ask('Add a card "Cake" to Todo');
  await expect(demo.card('Cake')).toHaveCount(1);
  await expect(demo.tool('board.add_card').last()).toContainText('Allowed for this chat');

  await allowed(demo).getByText('Allowed: 1').click();
  await expect(allowed(demo)).toContainText('Adding cards this chat');
  await expectAccessible(demo.page);
  await allowed(demo).getByRole('button', { name: 'Revoke: Adding cards' }).click();
  await expect(allowed(demo)).toHaveCount(0);
  await expect(demo.message).toBeFocused();
  await demo.say('Add a card "Milk" to Todo');
  await expect(demo.confirmations).toHaveCount(1);
});

test(
  'the mode, and what is allowed always, are kept when the page is loaded again',
  { tag: '@full' },
  async ({ demo }) => {
    await picker(demo).selectOption('Ask first');
    await demo.say('Add a card "Tea" to Todo');
    const asked = demo.confirmation('board.add_card');
    await remember(asked, 'Always', 'Every “Add a card”');
    await demo.approval(asked).click();
    await demo.idle();
    await demo.reload();
    await expect(picker(demo)).toHaveValue('ask');
    await demo.ask('Add a card "Cake" to Todo');
    await expect(demo.card('Cake')).toHaveCount(1);
  },
);

test('a deletion can be allowed only for exactly the same card', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Delete "Draw the logo"');
  const asked = demo.confirmation('board.delete_card');
  await remember(asked, 'Always', 'This exact change');
  await expect(asked.getByRole('group', { name: 'Covers' }).getByRole('radio')).toHaveCount(1);
  // Escape closes the menu, and stops nothing.
  await demo.page.keyboard.press('Escape');
  await expect(asked.getByRole('group', { name: 'Covers' })).toHaveCount(0);
  await demo.phase('confirming');
});
