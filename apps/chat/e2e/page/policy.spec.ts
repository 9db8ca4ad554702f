import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview, type PreviewServer } from 'vite';
import { viewNames } from '../../src/view/chat-views.js';
import { expect, test } from '../fixture.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
// One build serves all of them.
test.describe.configure({ mode: 'default' });

let server: PreviewServer;
let url: string;

// What is built, not what is served in development: only there does the policy hold.
test.beforeAll(async () => {
  const info = test.info();
  info.setTimeout(180_000);
  const outDir = path.join(info.project.outputDir, 'policy-build');
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
