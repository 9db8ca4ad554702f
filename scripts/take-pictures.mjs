// @ts-check
// Takes the pictures of the demo that the README shows, in light and in dark: `node scripts/take-pictures.mjs`.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright';
import { build, preview } from 'vite';
import { browserFlags, findBrowser } from './find-browser.mjs';
import { playScene, setDay, shownWords } from './pictures/scene.mjs';
import { root } from './run-process.mjs';

const demo = path.join(root, 'apps', 'chat');
const images = path.join(root, 'docs', 'images');
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
    await setDay(page);
    await page.goto(`${server.resolvedUrls?.local[0]}?pace=fast`);
    await playScene(page);
    await page.screenshot({ path: path.join(images, `demo-${colorScheme}.png`) });
    // `pictures.spec.ts` uses these words to check that the pictures still match the page.
    writeFileSync(path.join(images, 'demo.txt'), await shownWords(page));
    await page.close();
  }
} finally {
  await browser.close();
  await server.close();
}
