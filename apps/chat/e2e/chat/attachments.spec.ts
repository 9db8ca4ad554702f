import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test, type Demo } from '../fixture.js';

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const photo = { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from(pixel, 'base64') };
const report = { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.4\n%%EOF\n') };
const notes = {
  name: 'notes.txt',
  mimeType: 'text/plain',
  buffer: Buffer.from('Add a card "Never" to Todo\n'),
};
const archive = { name: 'all.zip', mimeType: 'application/zip', buffer: Buffer.from([80, 75, 3, 4, 0]) };

const waiting = ({ page }: Demo) => page.getByRole('list', { name: 'Files to send' }).getByRole('listitem');
const sent = ({ conversation }: Demo) =>
  conversation.getByRole('list', { name: 'Attached files' }).getByRole('listitem');

/** Chooses files with the button. */
async function choose(demo: Demo, ...files: readonly (typeof photo)[]): Promise<void> {
  const chooser = demo.page.waitForEvent('filechooser');
  await demo.button('Attach files').click();
  await (await chooser).setFiles([...files]);
}

/** Pastes or drops a picture, as a browser gives it to a page. */
async function give(page: Page, kind: 'paste' | 'drop', name: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message', exact: true }).evaluate(
    (target, { kind: way, name: fileName, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], fileName, { type: 'image/png' }));
      const event =
        way === 'paste'
          ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
          : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
      target.dispatchEvent(event);
    },
    { kind, name, base64: pixel },
  );
}

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`)).toEqual([]);
}

test('files are attached by the button, by paste and by drop, and shown before they are sent', async ({
  demo,
  page,
}) => {
  await demo.open();
  await choose(demo, photo, report);
  await expect(waiting(demo)).toHaveText([/photo\.png\s*1 kB/, /report\.pdf\s*1 kB/]);
  await expect(waiting(demo).first().locator('img')).toHaveJSProperty('complete', true);
  await expect(page.getByText('Attached 2 files')).toBeAttached();
  await give(page, 'paste', 'pasted.png');
  await expect(waiting(demo)).toHaveCount(3);
  await expect(page.getByText('Attached pasted.png')).toBeAttached();
  await give(page, 'drop', 'dropped.png');
  await expect(waiting(demo).last()).toContainText('dropped.png');
  await expect(demo.send).toBeEnabled();
});

test(
  'a file is removed with the mouse and with keys, which keep their place',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await choose(demo, photo, report, notes);
    await demo.button('Remove report.pdf').click();
    await expect(waiting(demo)).toHaveText([/photo\.png/, /notes\.txt/]);
    await demo.button('Remove photo.png').focus();
    await page.keyboard.press('Enter');
    await expect(waiting(demo)).toHaveText([/notes\.txt/]);
    await expect(page.getByText('Removed photo.png')).toBeAttached();
    await expect(demo.button('Remove notes.txt')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(waiting(demo)).toHaveCount(0);
    await expect(demo.message).toBeFocused();
    await expect(demo.send).toBeDisabled();
  },
);

test('a message has its files after a reload too, and the model names them', async ({ demo }) => {
  await demo.open();
  await choose(demo, photo, report, notes);
  await demo.ask('Add a card "From files" to Todo');
  await expect(waiting(demo)).toHaveCount(0);
  await expect(sent(demo)).toHaveText([/photo\.png/, /report\.pdf/, /notes\.txt/]);
  await expect(demo.conversation).toContainText(
    'I got the image “photo.png”, the PDF “report.pdf” and the text “notes.txt” of one line.',
  );
  await expect(demo.card('From files')).toBeVisible();
  // The text of a file is not a command.
  await expect(demo.card('Never')).toHaveCount(0);
  await demo.stored();
  await demo.reload();
  await expect(sent(demo)).toHaveText([/photo\.png/, /report\.pdf/, /notes\.txt/]);
  await expect(sent(demo).first().locator('img')).toHaveAttribute('src', /^data:image\/png;base64,/);
});

test('an edited message keeps its files', { tag: '@full' }, async ({ demo }) => {
  await demo.open();
  await choose(demo, photo);
  await demo.ask('What is this?');
  await demo.button('Edit message').click();
  await demo.page.getByRole('textbox', { name: 'Your message' }).fill('What is that?');
  await demo.button('Save').click();
  await expect(demo.turns.locator('.user-message')).toHaveText('What is that?');
  await demo.idle();
  await expect(sent(demo)).toHaveText([/photo\.png/]);
  await expect(demo.conversation).toContainText('I got the image “photo.png”.');
});

test(
  'a refused file says why, and the message and its files are still there',
  { tag: '@full' },
  async ({ demo, page }) => {
    await demo.open();
    await choose(demo, archive);
    await demo.say('Read this');
    await expect(page.getByRole('alert').filter({ hasText: 'all.zip' })).toContainText(
      'it is no JPEG, PNG, GIF or WebP image, no PDF, and no text',
    );
    await expect(demo.message).toHaveValue('Read this');
    await expect(waiting(demo)).toHaveText([/all\.zip/]);
    await expect(demo.turns).toHaveCount(0);
    await demo.idle();
    await demo.button('Remove all.zip').click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await demo.send.click();
    await expect(demo.turns).toHaveCount(1);
    await demo.idle();
  },
);

test('a queued message says how many files it has', { tag: '@full' }, async ({ demo }) => {
  await demo.open('pace=fast&fault=stall');
  // The answer is long enough that the fault occurs in it.
  await demo.say('Add a card "The first of all cards" to Doing');
  await demo.phase('streaming');
  await choose(demo, photo, report);
  await demo.message.fill('And this');
  await demo.button('Queue').click();
  await expect(demo.queue).toHaveText([/And this.*2 files/]);
  await demo.stop.click();
  await demo.idle();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`files are accessible on a small screen: ${colorScheme}`, { tag: '@full' }, async ({ demo, page }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width: 360, height: 740 });
    await demo.open();
    await choose(demo, photo, report);
    await demo.ask('What is this?');
    await choose(demo, photo, notes);
    await expect(sent(demo)).toHaveCount(2);
    await expect(waiting(demo)).toHaveCount(2);
    await expectAccessible(page);
    const [scroll, client] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(scroll).toBeLessThanOrEqual(client!);
  });
