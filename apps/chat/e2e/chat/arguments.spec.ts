import { expect, test } from '../fixture.js';

test(
  'arguments are drawn while they assemble, as a ghost on the board too, before anything runs',
  { tag: '@full' },
  async ({ demo, page }) => {
    const title = 'Water the plants in the meeting room';
    await demo.open('pace=slow');
    // The page keeps its own record, because a look from outside may come too late.
    await page.evaluate(() => {
      const board = document.querySelector('.board')!;
      const seen: string[] = [];
      Object.assign(window, { seen });
      new MutationObserver(() => {
        const ghost = board.querySelector<HTMLElement>('[data-ghost]');
        const cards = board.querySelectorAll('[data-column="doing"] [data-card]').length;
        const now = ghost
          ? `${ghost.dataset.ghost}|${ghost.querySelector('.ghost-title')!.textContent}|${cards}`
          : `no ghost||${cards}`;
        if (seen.at(-1) !== now) seen.push(now);
      }).observe(board, { subtree: true, childList: true, characterData: true, attributes: true });
    });
    await demo.say(`Add a card "${title}" to Doing`);
    await expect(demo.ghosts()).toBeVisible();
    await demo.idle();

    const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
    const states = seen.map((line) => line.split('|') as [stage: string, text: string, cards: string]);
    const assembling = states.filter(([stage]) => stage === 'assembling');
    expect(assembling.length).toBeGreaterThan(5);
    for (const [, text] of assembling) expect(title.startsWith(text)).toBe(true);
    // The card appears only when the call runs. Until then the column holds its two cards.
    for (const [stage, , cards] of states) {
      if (stage === 'assembling' || stage === 'waiting') expect(cards).toBe('2');
    }
    expect(states.map(([stage]) => stage)).toContain('executing');

    await expect(demo.ghosts()).toHaveCount(0);
    await expect(demo.cardTitles('Doing').last()).toHaveText(title);
    await expect(demo.tool('board.add_card')).toContainText('Done');
  },
);

test('a tool card shows the arguments as they arrive', async ({ demo }) => {
  await demo.open('pace=slow');
  await demo.say('Add a card "Water the plants in the meeting room, and those in the hall as well" to Doing');
  const tool = demo.tool('board.add_card');
  await expect(tool).toContainText('Writing');
  await expect(tool).toContainText('Water');
  await expect(demo.status).toHaveText('Preparing a change…');
  await demo.stop.click();
  await demo.idle();
});

test('a plan runs over several rounds, with parallel calls', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await demo.ask('Plan a product launch');
  await demo.openGroups();
  await expect(demo.tool('board.list_cards')).toHaveCount(2);
  await expect(demo.tool('board.add_card')).toHaveCount(3);
  await expect(demo.tool('board.move_card')).toHaveCount(1);
  await expect(demo.tool('board.edit_card')).toHaveCount(1);
  await expect(demo.cardTitles('Doing').last()).toHaveText('Write the announcement');
  await expect(demo.card('Decide on pricing before the launch')).toBeVisible();
  await expect(demo.conversation.locator('.answer').last()).toContainText(
    '3 new cards, 1 card started, 1 card renamed',
  );
});

test('the progress of a tool is shown', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=fast&work=slow');
  await demo.say('Publish the board');
  await demo.approval().click();
  await expect(demo.tool('board.publish_board')).toContainText(/[2-8] of 8/);
  await demo.hurry();
  await demo.idle();
  await expect(demo.board).toContainText('Published for the team');
});
