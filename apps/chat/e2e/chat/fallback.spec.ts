import { expect, test } from '../fixture.js';

test(
  'a turn whose first model is down is carried on by another one, and a quiet line names both, also after a reload',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&fault=down');
    const line = demo.conversation.getByText('Answered by rules-2 because rules-1 did not answer');
    await demo.ask('Add a card "Fix the footer" to Todo');
    await expect(demo.card('Fix the footer')).toHaveCount(1);
    await expect(line).toHaveCount(1);
    await expect(demo.conversation.locator('.turn-error')).toHaveCount(0);

    await demo.stored();
    await demo.reload();
    await expect(line).toHaveCount(1);
    await demo.ask('List the cards');
    await expect(line).toHaveCount(2);
  },
);
