import { expectAccessible } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

test.beforeEach(({ demo }) => demo.open());

const picker = (demo: Demo) => demo.page.getByRole('combobox', { name: 'Changes' });
const allowed = (demo: Demo) => demo.page.locator('.permissions');

test('Plan only denies a change, and the chat says so; Act at once makes it', async ({ demo }) => {
  await picker(demo).selectOption('Plan only');
  await demo.ask('Add a card "Tea" to Todo');
  await expect(demo.card('Tea')).toHaveCount(0);
  await expect(demo.tool('board.add_card')).toContainText('Refused');
  await picker(demo).selectOption('Act at once');
  await demo.ask('Add a card "Tea" to Todo');
  await expect(demo.card('Tea')).toHaveCount(1);
});

test('Plan only closes a question that is open', async ({ demo }) => {
  await demo.say('Delete "Draw the logo"');
  await expect(demo.confirmations).toHaveCount(1);
  await picker(demo).selectOption('Plan only');
  await expect(demo.confirmations).toHaveCount(0);
  await demo.idle();
  await expect(demo.card('Draw the logo')).toHaveCount(1);
});

test('Ask first asks; what is allowed for this chat is asked again once it is revoked', async ({ demo }) => {
  await picker(demo).selectOption('Ask first');
  await demo.say('Add a card "Tea" to Todo');
  const asked = demo.confirmation('board.add_card');
  await asked.getByRole('combobox', { name: 'Allow' }).selectOption('All like this, this chat');
  await expectAccessible(demo.page);
  await asked.getByRole('button', { name: 'Approve' }).click();
  await demo.idle();
  await demo.ask('Add a card "Cake" to Todo');
  await expect(demo.card('Cake')).toHaveCount(1);

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
    await asked.getByRole('combobox', { name: 'Allow' }).selectOption('All like this, always');
    await asked.getByRole('button', { name: 'Approve' }).click();
    await demo.idle();
    await demo.reload();
    await expect(picker(demo)).toHaveValue('ask');
    await demo.ask('Add a card "Cake" to Todo');
    await expect(demo.card('Cake')).toHaveCount(1);
  },
);

test('a deletion is allowed for exactly what it deletes', { tag: '@full' }, async ({ demo }) => {
  await demo.say('Delete "Draw the logo"');
  const choices = demo.confirmation('board.delete_card').getByRole('combobox', { name: 'Allow' });
  await expect(choices.getByRole('option')).toHaveText([
    'Just this once',
    'Exactly this, this turn',
    'Exactly this, this chat',
    'Exactly this, always',
  ]);
});
