import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright';
import { browserFlags, findBrowser } from '../../scripts/find-browser.mjs';

const views = fileURLToPath(new URL('../../.cache/bench/views', import.meta.url));
const origin = 'http://bench.test';

/** Opens a page in a real browser that can import the built views: `/react.js`. The page has a function `untilFrame`. */
export async function openBrowserPage() {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserFlags] });
  const page = await browser.newPage();
  await page.route(`${origin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    if (pathname === '/')
      return route.fulfill({ contentType: 'text/html', body: '<!doctype html><main></main>' });
    const body = await readFile(path.join(views, pathname), 'utf8');
    return route.fulfill({ contentType: 'text/javascript', body });
  });
  await page.addInitScript(() => {
    globalThis.untilFrame = async (target, change) => {
      const start = performance.now();
      const changed = new Promise((resolve) => {
        new globalThis.MutationObserver((_, observer) => {
          observer.disconnect();
          resolve();
        }).observe(target, { childList: true, subtree: true });
      });
      change();
      await changed;
      await new Promise((resolve) => globalThis.requestAnimationFrame(resolve));
      // A task after the callbacks of the frame: layout and paint are finished.
      const { port1, port2 } = new MessageChannel();
      await new Promise((resolve) => {
        port1.onmessage = resolve;
        port2.postMessage(null);
      });
      return performance.now() - start;
    };
  });
  await page.goto(origin);
  return { page, close: () => browser.close() };
}
