// Keys that belong to an input method, which composes a word with them.
import type { Locator } from '@playwright/test';
import { expect, test } from '../fixture.js';

/**
 * Presses a key as Safari reports the key that ends a composition: the composition is over, and the key code
 * says that the input method took the key.
 */
async function taken(target: Locator, key: 'Enter' | 'Escape'): Promise<void> {
  await target.evaluate((element, pressed) => {
    element.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true }));
    const init = { key: pressed, keyCode: 229, bubbles: true, cancelable: true };
    if (!element.dispatchEvent(new KeyboardEvent('keydown', init))) throw new Error('The key was taken.');
  }, key);
}

test('audit-R9 an Enter that accepts a word sends nothing, and an Escape stops nothing', async ({
  demo,
  page,
}) => {
  await demo.open('pace=fast&work=slow');
  await demo.message.fill('にほんご');
  await taken(demo.message, 'Enter');
  await expect(demo.message).toHaveValue('にほんご');
  await expect(demo.turns).toHaveCount(0);
  await demo.say('Add cards "One" and "Two" to Todo');
  await expect(demo.stop).toBeVisible();
  await taken(demo.message, 'Escape');
  await taken(page.locator('body'), 'Escape');
  await demo.hurry();
  await demo.idle();
  await expect(demo.card('Two')).toBeVisible();

  // The message that is being edited.
  await demo.message.focus();
  await demo.message.press('ArrowUp');
  const editor = page.locator('.text-editor textarea');
  await editor.fill('変換');
  await taken(editor, 'Enter');
  await taken(editor, 'Escape');
  await expect(editor).toHaveValue('変換');
  await editor.press('Escape');
  await expect(editor).toHaveCount(0);
});

test(
  'audit-R9 the fields of the board, of the chats and of a question ignore keys of an input method',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await demo.say('Rename "Draw the logo" to "Logo"');
    await demo.idle();
    await demo.card('Logo').getByRole('button').first().press('F2');
    const title = page.locator('.title-input');
    await title.fill('変換');
    await taken(title, 'Enter');
    await taken(title, 'Escape');
    await expect(title).toHaveValue('変換');
    await title.press('Escape');

    await page.keyboard.press('Control+k');
    const search = page.getByRole('searchbox');
    await search.fill('Rename');
    await taken(search, 'Enter');
    await taken(search, 'Escape');
    await expect(search).toBeVisible();
    await search.press('Escape');
    await expect(search).toBeHidden();

    await demo.say('Publish the board');
    await expect(demo.confirmations).toHaveCount(1);
    await taken(demo.confirmations.first(), 'Escape');
    await expect(demo.confirmations).toHaveCount(1);
  },
);
