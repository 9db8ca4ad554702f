import { expect, test } from '../fixture.js';
import { branchedConversation, keepInTab } from '../long-conversation.js';

// No trace: it would copy the whole conversation at each step.
test.use({ trace: 'off' });

test(
  'in a conversation of 2,000 turns in 300 branches, another version is drawn with a single change of the list',
  { tag: '@full' },
  async ({ demo, page }) => {
    await keepInTab(page, branchedConversation());
    await demo.open();
    const turns = demo.conversation.getByRole('article');
    await expect(turns).toHaveCount(200);
    const changes = await demo.conversation.evaluateHandle((log) => {
      const counted = { list: 0 };
      // If a view renders its list twice, the list changes in two microtasks. The content of a turn may be
      // drawn later, when the turn comes into sight.
      new MutationObserver((records) => {
        const ofList = ({ target }: MutationRecord) =>
          (target as Element).matches('.conversation-content, .turn-group');
        if (records.some(ofList)) counted.list++;
      }).observe(log, { childList: true, subtree: true });
      return counted;
    });

    await demo.button('Next version').last().press('Enter');
    await expect(turns).toHaveCount(205);
    await expect(turns.last().getByRole('heading', { name: 'Answer 1394' })).toBeInViewport();
    expect(await changes.evaluate(({ list }) => list)).toBe(1);
    await demo.button('Previous version').last().press('Enter');
    await expect(turns).toHaveCount(200);
    expect(await changes.evaluate(({ list }) => list)).toBe(2);
  },
);
