import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Demo } from '../fixture.js';

const asked = 'Show the board as a table';
const tableIn = ({ conversation }: Demo) =>
  conversation.getByRole('table', { name: 'The cards of the board' });

test('"As a table" is answered by a table that grows, and is read out once', async ({ demo, page }) => {
  await demo.open('pace=slow');
  // The page keeps its own record, because a look from outside may come too late.
  await page.evaluate(() => {
    const seen: string[] = [];
    Object.assign(window, { seen });
    const look = () => {
      const scroller = document.querySelector('.table-answer .table-scroll');
      if (scroller === null) return;
      const cells = scroller.querySelectorAll('td, tbody th').length;
      const status = document.querySelector('[role="status"][data-phase]')!.textContent;
      const spoken = document.querySelector('p[aria-live="polite"]')!.textContent;
      const now = [cells, scroller.ariaBusy, status, spoken].join('|');
      if (seen.at(-1) !== now) seen.push(now);
    };
    new MutationObserver(look).observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });
  await demo.say(asked);
  const table = tableIn(demo);
  await expect(table.getByRole('rowheader').nth(1)).toBeVisible();
  await demo.hurry();
  await demo.idle();
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  const states = seen.map((line) => line.split('|') as [cells: string, busy: string, ...words: string[]]);
  const growing = states.filter(([, busy]) => busy === 'true');
  expect(new Set(growing.map(([cells]) => cells)).size).toBeGreaterThan(2);
  expect(growing.filter(([, , status]) => status === 'Writing a table…').length).toBeGreaterThan(2);
  expect(growing.filter(([, , , spoken]) => spoken !== '')).toEqual([]);
  await expect(table.getByRole('columnheader')).toHaveText(['Card', 'Column', 'Place']);
  await expect(table.getByRole('row')).toHaveCount(9);
  await expect(table.getByRole('rowheader', { name: 'Draw the logo' })).toBeVisible();
  await expect(page.locator('p[aria-live="polite"]')).toHaveText(
    'Table: The cards of the board. 8 rows, 3 columns.',
  );
  // The message has one answer, and the text of the replaced answer is shown nowhere.
  await expect(demo.button('Regenerate')).toHaveCount(0);
  await expect(demo.button('Edit message')).toHaveCount(0);
  await expect(demo.conversation).not.toContainText('"caption"');
});

test(
  'a table is there again after a reload, and the next turn comes after it',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await demo.ask('What is in Done, as a table?');
    await demo.stored();
    await demo.reload();
    const table = demo.conversation.getByRole('table', { name: 'The cards in Done' });
    await expect(table.getByRole('row')).toHaveCount(4);
    await demo.ask('Add a card "Tea" to Todo');
    await expect(demo.card('Tea')).toBeVisible();
    await expect(demo.turns).toHaveCount(2);
  },
);

test(
  'a stopped table leaves no turn, and its text is in the message field again',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&fault=stall');
    await demo.say(asked);
    await expect(demo.conversation.getByRole('table', { name: /^The/ })).toBeVisible();
    await demo.stop.click();
    await demo.idle();
    await expect(demo.turns).toHaveCount(0);
    await expect(demo.message).toHaveValue(asked);
    await expect(demo.page.locator('.composer').getByRole('alert')).toHaveCount(0);
  },
);

test(
  'a failed table says so at the message, and the same text makes it',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&fault=error');
    await demo.ask(asked);
    await expect(demo.page.locator('.composer').getByRole('alert')).toContainText('server failed');
    await expect(demo.message).toHaveValue(asked);
    await demo.send.click();
    await demo.idle();
    await expect(tableIn(demo)).toBeVisible();
    await expect(demo.page.locator('.composer').getByRole('alert')).toHaveCount(0);
  },
);

test('a table that a reload interrupted continues', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=fast&fault=stall');
  await demo.say(asked);
  await expect(demo.conversation.getByRole('table', { name: /^The/ })).toBeVisible();
  await demo.recorded('modelCallStarted');
  // Opens the page without the fault, because the page has the fault once a visit.
  await demo.open(`pace=fast&chat=${new URL(demo.page.url()).searchParams.get('chat')}`);
  await demo.interruption.getByRole('button', { name: 'Continue' }).click();
  await demo.idle();
  await expect(tableIn(demo).getByRole('row')).toHaveCount(9);
});

test(
  'a message that asks for a table while a turn runs waits, and is answered in Markdown',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open('pace=fast&work=slow');
    await demo.say('Publish the board');
    await demo.approval().click();
    await demo.phase('executing');
    await demo.message.fill('What is in Done, as a table?');
    await demo.message.press('Enter');
    await demo.hurry();
    await expect(demo.conversation.locator('.answer').getByRole('table')).toBeVisible();
    await demo.idle();
  },
);

test(
  'a table has no accessibility violation in light and dark mode, and scrolls separately at 320 pixels',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.ask(asked);
    const examine = async () => {
      const axe = new AxeBuilder({ page }).setLegacyMode().include('.conversation');
      const { violations } = await axe.analyze();
      expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual(
        [],
      );
    };
    await page.emulateMedia({ colorScheme: 'light' });
    await examine();
    await page.emulateMedia({ colorScheme: 'dark' });
    await examine();
    await page.setViewportSize({ width: 320, height: 700 });
    const scroller = demo.conversation.getByRole('group', { name: 'Table: The cards of the board' });
    const [inner, outer] = await scroller.evaluate((element) => [element.scrollWidth, element.clientWidth]);
    expect(inner).toBeGreaterThanOrEqual(outer!);
    const whole = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    expect(whole[0]).toBeLessThanOrEqual(whole[1]!);
    // The keyboard scrolls too.
    await scroller.focus();
    await expect(scroller).toBeFocused();
  },
);
