// @ts-check
// Takes the pictures of the demo that the README shows, in light and in dark: `node scripts/take-pictures.mjs`.
import path from 'node:path';
import { chromium } from 'playwright';
import { build, preview } from 'vite';
import { browserFlags, findBrowser } from './find-browser.mjs';
import { root } from './run-process.mjs';

const demo = path.join(root, 'apps', 'chat');
const outDir = path.join(root, '.cache', 'pictures');
await build({ root: demo, logLevel: 'warn', build: { outDir, emptyOutDir: true } });
const server = await preview({
  root: demo,
  logLevel: 'error',
  build: { outDir },
  preview: { host: '127.0.0.1', port: 0 },
});
const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserFlags] });
try {
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const page = await browser.newPage({
      viewport: { width: 1280, height: 800 },
      colorScheme,
      reducedMotion: 'reduce',
    });
    await page.goto(`${server.resolvedUrls?.local[0]}?pace=fast`);
    await page
      .getByRole('textbox', { name: 'Message' })
      .fill('Plan a product launch, then delete "Draw the logo"');
    await page.getByRole('button', { name: 'Send' }).click();
    // A question is open: it stays as it is until it is answered.
    await page
      .getByRole('group', { name: /^Question/ })
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Message' }).blur();
    await page.mouse.move(0, 0);
    await page.waitForTimeout(500);
    await page.screenshot({ path: path.join(root, 'docs', 'images', `demo-${colorScheme}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
  await server.close();
}
