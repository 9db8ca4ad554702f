// If the rules do not understand a message, the nearest commands are offered as buttons.
import { expectAccessible } from '../accessible.js';
import { expect, test } from '../fixture.js';

test('audit-V1 a message that is not understood changes nothing, and offers the nearest commands as buttons', async ({
  demo,
}) => {
  await demo.open();
  await demo.ask('write me a poem about the logo');
  const offers = demo.page.getByRole('list', { name: 'Commands to choose from' }).getByRole('button');
  await expect(offers).toHaveText([
    'Move “Draw the logo” to Doing',
    'Plan the launch week',
    'Show the board as a table',
  ]);
  await expect(demo.undo).toHaveCount(0);
  await expectAccessible(demo.page);
  // The keyboard reaches the offers backwards from the message. When the pressed button is removed, the
  // message gets the focus.
  await offers.first().focus();
  await demo.page.keyboard.press('Enter');
  await demo.idle();
  await expect(offers).toHaveCount(0);
  expect(await demo.titles('Doing')).toContain('Draw the logo');
  await expect(demo.message).toBeFocused();
});

test(
  'audit-V1 a command for everything becomes a question with an answer for each column',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('delete everything');
    const offers = demo.page.getByRole('list', { name: 'Commands to choose from' }).getByRole('button');
    await expect(offers).toHaveText(['Clear Todo', 'Clear Doing', 'Clear Done']);
    await offers.last().click();
    await expect(demo.confirmations).toHaveCount(1);
  },
);
