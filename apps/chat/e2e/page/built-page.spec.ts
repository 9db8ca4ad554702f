import { cp, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, preview, type PreviewServer } from 'vite';
import { viewNames } from '../../src/view/chat-views.js';
import type { Page } from '@playwright/test';
import { Demo, expect, test } from '../fixture.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
// All tests of this file share one build.
test.describe.configure({ mode: 'default' });

let server: PreviewServer;
let url: string;
let outDir: string;

// Uses the production build, because only there the policy is in force and the code is divided into the
// chunks that visitors fetch.
test.beforeAll(async () => {
  const info = test.info();
  info.setTimeout(180_000);
  outDir = path.join(info.project.outputDir, 'built-page');
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

test('audit-X12 no page may frame the page', async ({ page }) => {
  const response = await page.goto(url);
  expect(response!.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
});

test.describe('if the browser runs no service workers', () => {
  test.use({ serviceWorkers: 'block' });

  test('V4: a page that was loaded once works without a network: text, tool calls, questions, undo', async ({
    demo,
    page,
    context,
  }) => {
    await demo.goTo(`${url}?pace=fast`);
    // Waits until the code that is fetched in the background has arrived.
    await page.waitForLoadState('networkidle');
    await context.setOffline(true);

    await demo.ask('Add a card "**Strong**" to Todo');
    await expect(demo.conversation.locator('.answer strong')).toHaveText('Strong');
    await demo.say('Delete "Draw the logo"');
    const asked = demo.confirmation('board.delete_card');
    await demo.writeArguments(asked, '{ "card": 7 }');
    await demo.approval(asked).click({ force: true });
    await expect(asked.getByRole('textbox', { name: 'As JSON' })).toHaveAccessibleDescription(/card/);
    await demo.writeArguments(asked, '{ "card": "Choose a name" }');
    await demo.approval(asked).click();
    await demo.idle();
    await expect(demo.cardTitles('Done')).toHaveText(['Register the domain', 'Draw the logo']);
    await demo.undo.click();
    await expect(demo.cards('Done')).toHaveCount(3);

    // A view that was never shown has not been fetched. The message is written for users, and the chat stays.
    await demo.viewPicker.selectOption('vue');
    const alert = page.getByRole('alert').filter({ hasText: 'The view in Vue could not be shown' });
    await expect(alert).toContainText('Check the connection');
    await expect(alert).not.toContainText('http');
    await demo.ask('List the cards');
    const expected = /^(Failed to load resource|Service Worker registration blocked)/;
    expect(demo.errors.splice(0).filter((text) => !expected.test(text))).toEqual([]);
    await context.setOffline(false);
  });
});

test('V4: after the first visit the page works without its server, in each view', async ({ demo, page }) => {
  const site = await serve(outDir);
  await demo.goTo(`${site.url}?pace=fast`);
  await controlled(page);
  await demo.ask('Add a card "Kept" to Todo');
  await site.close();
  for (const view of viewNames) {
    await demo.goTo(`${site.url}?pace=fast&view=${view}`);
    await expect(page.locator(`[data-view="${view}"]`)).toBeVisible();
    await expect(demo.card('Kept')).toBeVisible();
    await expect(demo.turns.first()).toContainText('Add a card "Kept" to Todo');
    await demo.ask(`Add a card "In ${view}" to Todo`);
    await expect(demo.card(`In ${view}`)).toBeVisible();
  }
  // The browser looks for a new worker, and reports that there is no server.
  expect(demo.errors.splice(0).filter((text) => !/fetching the script|Failed to load/.test(text))).toEqual(
    [],
  );
});

test(
  'V4: a new build is used at the next visit; until then a page has the chunks of the old build',
  { tag: '@full' },
  async ({ demo, page, context }) => {
    const site = await serve(outDir);
    await demo.goTo(`${site.url}?pace=fast`);
    await controlled(page);
    const nextDir = `${outDir}-next`;
    await makeNextBuild(nextDir);
    site.show(nextDir);
    await demo.reload();
    const isWaiting = () =>
      page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.waiting?.state);
    await expect.poll(isWaiting).toBe('installed');
    await demo.reload();
    await expect(page).toHaveTitle('Banister');
    // The chunk of the view is no longer on the server.
    await demo.switchTo('vue');
    await demo.ask('List the cards');
    await page.close();
    await expect(async () => {
      const later = await context.newPage();
      await later.goto(`${site.url}?view=vue&pace=fast`);
      const title = await later.title();
      const next = new Demo(later, 'vue');
      if (title === 'Banister, next') await next.ask('Add a card "Next" to Todo');
      await later.close();
      expect(title).toBe('Banister, next');
    }).toPass({ timeout: 60_000 });
    await site.close();
  },
);

/** Waits until the service worker has stored the build, and answers for the page. */
async function controlled(page: Page): Promise<void> {
  await page.waitForFunction(() => navigator.serviceWorker.controller?.state === 'activated');
}

/** Serves a folder that can be replaced. */
async function serve(
  folder: string,
): Promise<{ url: string; show(next: string): void; close(): Promise<void> }> {
  let shown = folder;
  const types: Readonly<Record<string, string>> = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
  };
  const site: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://site');
    const file = path.join(shown, pathname === '/' ? 'index.html' : pathname);
    readFile(file).then(
      (content) => response.setHeader('content-type', types[path.extname(file)]!).end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(site.address() as AddressInfo).port}/`,
    show(next) {
      shown = next;
    },
    close: () =>
      new Promise((resolve) => {
        site.close(() => resolve());
        site.closeAllConnections();
      }),
  };
}

/** Makes another build of the same page: each chunk has a different name, and the page a different title. */
async function makeNextBuild(nextDir: string): Promise<void> {
  await cp(outDir, nextDir, { recursive: true });
  const assets = path.join(nextDir, 'assets');
  const names = await readdir(assets);
  const files = ['index.html', 'sw.js', ...names.map((name) => path.join('assets', name))];
  for (const file of files.map((name) => path.join(nextDir, name))) {
    const text = names.reduce(
      (before, name) => before.replaceAll(name, `next-${name}`),
      await readFile(file, 'utf8'),
    );
    const titled = text.replace('<title>Banister<', '<title>Banister, next<');
    await writeFile(file, titled.replace(/("?url"?:"index\.html","?revision"?:")\w+/, '$1next'));
  }
  for (const name of names) await rename(path.join(assets, name), path.join(assets, `next-${name}`));
}

for (const view of viewNames) {
  test.describe(view, { tag: view === viewNames[0] ? [] : ['@full'] }, () => {
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

      // Markdown is still drawn.
      await demo.ask('Add a card "**Strong**" to Todo');
      await expect(demo.conversation.locator('.answer strong')).toHaveText('Strong');

      await demo.ask('Plan a product launch');
      await expect(demo.cardTitles('Doing').last()).toHaveText('Write the announcement');

      await demo.say('Delete "Draw the logo"');
      const asked = demo.confirmation('board.delete_card');
      await demo.writeArguments(asked, '{ "card": 7 }');
      await demo.approval(asked).click({ force: true });
      await expect(asked.getByRole('textbox', { name: 'As JSON' })).toHaveAccessibleDescription(/card/);
      await demo.writeArguments(asked, '{ "card": "Draw the logo" }');
      await demo.approval(asked).click();
      await demo.idle();
      await expect(demo.cards('Done')).toHaveCount(2);
      await demo.undo.click();
      await expect(demo.cards('Done')).toHaveCount(3);
      expect(await page.evaluate(() => '__banister' in window)).toBe(false);
    });
  });
}
