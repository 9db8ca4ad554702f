import { expect, test } from '../fixture.js';

test(
  'if the first model is down, another model continues the turn, and a line names both models, even after a reload',
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
