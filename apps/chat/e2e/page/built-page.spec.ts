import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview, type PreviewServer } from 'vite';
import { viewNames } from '../../src/view/chat-views.js';
import { expect, test } from '../fixture.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
// One build for all tests of this file.
test.describe.configure({ mode: 'default' });

let server: PreviewServer;
let url: string;

// The production build: only there the policy is in force, and code is divided into the chunks that visitors fetch.
test.beforeAll(async () => {
  const info = test.info();
  info.setTimeout(180_000);
  const outDir = path.join(info.project.outputDir, 'built-page');
  await build({ root, logLevel: 'error', build: { outDir, emptyOutDir: true } });
  server = await preview({
    root,
    logLevel: 'error',
    build: { outDir },
    preview: { host: '127.0.0.1', port: 0 },
  });
  url = server.resolvedUrls!.local[0]!;
});

test.afterAll(() => server.close());

test('V4: a page that was loaded once works without a network: text, tool calls, questions, undo', async ({
  demo,
  page,
  context,
}) => {
  await demo.goTo(`${url}?pace=fast`);
  // Until the code that is fetched in the background has arrived.
  await page.waitForLoadState('networkidle');
  await context.setOffline(true);

  await demo.ask('Add a card "**Strong**" to Todo');
  await expect(demo.conversation.locator('.answer strong')).toHaveText('Strong');
  await demo.say('Delete "Draw the logo"');
  const asked = demo.confirmation('board.delete_card');
  await asked.getByRole('textbox', { name: 'Arguments' }).fill('{ "card": 7 }');
  await asked.getByRole('button', { name: 'Approve' }).click();
  await expect(asked.getByRole('alert')).toContainText('card');
  await asked.getByRole('textbox', { name: 'Arguments' }).fill('{ "card": "Choose a name" }');
  await asked.getByRole('button', { name: 'Approve' }).click();
  await demo.idle();
  await expect(demo.cards('Done')).toHaveText(['Register the domain', 'Draw the logo']);
  await demo.button('Undo turn').click();
  await expect(demo.cards('Done')).toHaveCount(3);

  // A view that was never shown has not been fetched. The message is for people, and the chat stays.
  await demo.viewPicker.selectOption('vue');
  const alert = page.getByRole('alert').filter({ hasText: 'The view in Vue could not be shown' });
  await expect(alert).toContainText('Check the connection');
  await expect(alert).not.toContainText('http');
  await demo.ask('List the cards');
  expect(demo.errors.splice(0).every((text) => text.startsWith('Failed to load resource'))).toBe(true);
  await context.setOffline(false);
});

for (const view of viewNames) {
  test.describe(view, () => {
    test.use({ view });

    test('R10 under a strict Content-Security-Policy everything works, validation of arguments included', async ({
      demo,
      page,
    }) => {
      await demo.goTo(`${url}?view=${view}&pace=fast`);
      const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');
      expect(policy).toContain("script-src 'self'");
      expect(policy).not.toContain('unsafe');
      // The policy is in force: the page cannot make code from text.
      const evaluated = await page.evaluate(() => {
        const script = document.createElement('script');
        script.append('window.ranInline = true');
        document.head.append(script);
        return 'ranInline' in window;
      });
      expect(evaluated).toBe(false);
      expect(demo.errors.splice(0).join()).toMatch(/Content Security Policy|TrustedScript/);
      const parsed = await page.evaluate(() => {
        try {
          document.createElement('div').innerHTML = '<b>x</b>';
          return true;
        } catch {
          return false;
        }
      });
      expect(parsed).toBe(false);
      expect(demo.errors.splice(0).join()).toContain('TrustedHTML');

      // Markdown is drawn all the same.
      await demo.ask('Add a card "**Strong**" to Todo');
      await expect(demo.conversation.locator('.answer strong')).toHaveText('Strong');

      await demo.ask('Plan a product launch');
      await expect(demo.cards('Doing').last()).toHaveText('Write the announcement');

      await demo.say('Delete "Draw the logo"');
      const asked = demo.confirmation('board.delete_card');
      await asked.getByRole('textbox', { name: 'Arguments' }).fill('{ "card": 7 }');
      await asked.getByRole('button', { name: 'Approve' }).click();
      await expect(asked.getByRole('alert')).toContainText('card');
      await asked.getByRole('textbox', { name: 'Arguments' }).fill('{ "card": "Draw the logo" }');
      await asked.getByRole('button', { name: 'Approve' }).click();
      await demo.idle();
      await expect(demo.cards('Done')).toHaveCount(2);
      await demo.button('Undo turn').click();
      await expect(demo.cards('Done')).toHaveCount(3);
      expect(await page.evaluate(() => '__handrail' in window)).toBe(false);
    });
  });
}
