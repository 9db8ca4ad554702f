import { expectAccessible, expectLooks } from '../accessible.js';
import { expect, test, type Demo } from '../fixture.js';

const fact = 'We release on Tuesdays';

const drawerOf = ({ page }: Demo) => page.getByRole('dialog', { name: 'What the agent remembers' });
const factsOf = (demo: Demo) => drawerOf(demo).getByRole('listitem');
const textOf = (demo: Demo) => demo.confirmations.getByRole('textbox', { name: 'Text' });

/** Opens the drawer, and adds facts as the user. */
async function add(demo: Demo, ...facts: readonly string[]): Promise<void> {
  await demo.button('Memory').click();
  const field = drawerOf(demo).getByRole('textbox', { name: 'New fact' });
  for (const text of facts) {
    await field.fill(text);
    await field.press('Enter');
    await expect(field).toHaveValue('');
  }
}

test('agents M1, M2: a fact is asked about with its exact text, the user edits it, the drawer shows it, and undo forgets it', async ({
  demo,
}) => {
  await demo.open();
  await demo.say('Remember that we release on Tuesdays');
  await expect(demo.confirmations).toHaveAccessibleName(`Question: Remember “${fact}”`);
  await expect(textOf(demo)).toHaveValue(fact);
  await textOf(demo).fill(`${fact} at noon`);
  await expect(demo.confirmations).toContainText(`After ${fact} at noon`);
  await demo.approval().click();
  await demo.idle();
  await expect(demo.conversation).toContainText(`I will remember: “${fact} at noon”`);
  await demo.button('Memory').click();
  await expect(factsOf(demo)).toHaveCount(1);
  await expect(factsOf(demo)).toContainText(`${fact} at noon`);
  await expect(factsOf(demo)).toContainText('The agent · now');
  await demo.button('Close').click();
  await demo.undo.click();
  await expect(demo.receipt).toContainText('1 of 1 change taken back');
  await demo.button('Memory').click();
  await expect(drawerOf(demo)).toContainText('Nothing yet.');
  await demo.button('Close').click();
  await demo.redo.click();
  // A reload in the middle would interrupt the redo.
  await expect(demo.undo).toBeVisible();
  await demo.reload();
  await demo.undo.click();
  await demo.button('Memory').click();
  await expect(factsOf(demo)).toHaveCount(0);
});

test('agents M4: the agent answers from what it remembers, in a new chat and after a reload', async ({
  demo,
}) => {
  await demo.open();
  await add(demo, fact, 'Ana owns the design');
  await demo.button('Close').click();
  await demo.button('New chat').click();
  await demo.reload();
  await demo.ask('When do we release?');
  await expect(demo.conversation).toContainText(`You had me remember: “${fact}”`);
  await demo.ask('What do you remember?');
  await expect(demo.conversation).toContainText('Ana owns the design');
  await demo.say('Forget that Ana owns the design');
  await expect(demo.confirmations).toHaveAccessibleName('Question: Forget “Ana owns the design”');
  await demo.approval().click();
  await demo.idle();
  await expect(demo.conversation).toContainText('I have forgotten it.');
  await demo.say('Remember that Ben owns the server');
  await demo.approval().click();
  await demo.idle();
  await expect(demo.conversation).toContainText('I will remember: “Ben owns the server”');
  await demo.button('Memory').click();
  await expect(factsOf(demo)).toHaveText([/Ben owns the server/, new RegExp(fact)]);
});

test('agents M3: with the keyboard alone, the user adds, pins, edits and removes a fact, and takes the removal back', async ({
  demo,
  page,
}) => {
  await demo.open();
  await demo.button('Memory').focus();
  await page.keyboard.press('Enter');
  await expect(drawerOf(demo)).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type('One');
  await page.keyboard.press('Enter');
  await expect(factsOf(demo)).toHaveCount(1);
  await page.keyboard.type('Two');
  await page.keyboard.press('Enter');
  await expect(factsOf(demo)).toHaveText([/Two/, /One/]);
  const tools = (text: string) => drawerOf(demo).getByRole('group', { name: `Fact: ${text}` });
  await tools('Two').getByRole('button', { name: 'Pin' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(factsOf(demo)).toHaveText([/One/, /Two/]);
  await expect(tools('One').getByRole('button', { name: 'Pin', pressed: true })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(drawerOf(demo).getByRole('textbox', { name: 'Fact', exact: true })).toBeFocused();
  await page.keyboard.type('!');
  await page.keyboard.press('Escape');
  await expect(tools('One').getByRole('button', { name: 'Edit' })).toBeFocused();
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.type(' more');
  await page.keyboard.press('Enter');
  await expect(tools('One more').getByRole('button', { name: 'Edit' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(demo.button('Undo: remove One more')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(factsOf(demo)).toHaveText([/One more/, /Two/]);
  await expect(tools('One more').getByRole('button', { name: 'Pin', pressed: true })).toBeVisible();
  await expect(tools('One more').getByRole('button', { name: 'Edit' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(drawerOf(demo)).toHaveCount(0);
  await expect(demo.button('Memory')).toBeFocused();
});

test(
  'agents M6: a change that the store refuses says so, and the text stays; when the store works again, it is kept',
  { tag: '@full' },
  async ({ demo }) => {
    await demo.open();
    await add(demo, fact);
    await demo.refuseWrites();
    const field = drawerOf(demo).getByRole('textbox', { name: 'New fact' });
    await field.fill('Another');
    await demo.button('Add').click();
    await expect(drawerOf(demo).getByRole('alert')).toContainText('Not kept.');
    await expect(field).toHaveValue('Another');
    await demo.takeWrites();
    await demo.button('Add').click();
    await expect(factsOf(demo)).toHaveCount(2);
    await expect(drawerOf(demo).getByRole('alert')).toHaveText('');
  },
);

test(
  'agents M6: facts are the same in two tabs, and an edit of a fact that changed meanwhile is saved only when it is confirmed',
  { tag: '@full' },
  async ({ demo, context }) => {
    await demo.open();
    await add(demo, fact);
    await drawerOf(demo).getByRole('button', { name: 'Edit' }).click();
    const field = drawerOf(demo).getByRole('textbox', { name: 'Fact', exact: true });
    await field.fill('Mine');
    const other = await context.newPage();
    await other.goto(demo.page.url());
    await other.getByRole('button', { name: 'Memory' }).click();
    await other.getByRole('button', { name: 'Edit', exact: true }).click();
    await other.getByRole('textbox', { name: 'Fact', exact: true }).fill('Theirs');
    await other.getByRole('button', { name: 'Save' }).click();
    await expect(other.getByRole('dialog')).toContainText('Theirs');
    await other.close();
    await field.press('Enter');
    await expect(drawerOf(demo).getByRole('alert')).toContainText('Changed meanwhile to “Theirs”.');
    await expect(field).toHaveValue('Mine');
    await field.press('Enter');
    await expect(factsOf(demo)).toHaveText([/Mine/]);
  },
);

for (const [width, height] of [
  [360, 740],
  [1440, 900],
] as const) {
  test.describe(`at ${width}x${height}`, () => {
    test.use({ viewport: { width, height } });

    test(
      'agents M3: the drawer is accessible and in sight, empty, with long facts, and in light and dark mode',
      { tag: '@full' },
      async ({ demo, page }) => {
        await demo.open();
        await demo.button('Memory').click();
        await expectAccessible(page);
        await demo.button('Close').click();
        await add(demo, fact, 'الإصدار يوم الثلاثاء', 'a long fact '.repeat(41));
        await expectLooks(page);
        await factsOf(demo).last().scrollIntoViewIfNeeded();
        await factsOf(demo).last().getByRole('button', { name: 'Remove' }).click();
        await expect(demo.button(`Undo: remove ${fact}`)).toBeInViewport({ ratio: 1 });
        await expectAccessible(page);
        await expect(demo.button('Close')).toBeInViewport({ ratio: 1 });
      },
    );
  });
}
