import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright';
import { browserFlags, findBrowser } from '../../scripts/find-browser.mjs';

const folder = new URL('../../.cache/bench/storage/', import.meta.url);

/** The page of the group `storage` in a browser of its own. */
export async function openStoragePage() {
  const server = createServer((request, response) => {
    const isCode = request.url.endsWith('.js');
    response.setHeader('content-type', isCode ? 'text/javascript' : 'text/html');
    response.end(
      isCode
        ? readFileSync(new URL(`.${request.url}`, folder))
        : '<!doctype html><script type="module" src="/page.js"></script>',
    );
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${server.address().port}/`;
  const browser = await chromium.launch({ executablePath: findBrowser(), args: [...browserFlags] });
  const page = await browser.newPage();
  const devTools = await page.context().newCDPSession(page);
  // The time of the processor, not that of the clock.
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const load = async () => {
    await page.goto(address);
    await page.waitForFunction(() => 'bench' in globalThis);
  };
  await load();
  return {
    reload: load,
    /** Calls a function of the page. Resolves with its result, and the CPU time of all tasks of the page meanwhile, in ms. */
    async run(task, ...args) {
      const before = await taskTime();
      const result = await page.evaluate(([name, given]) => globalThis.bench[name](...given), [task, args]);
      return { ...result, tasks: (await taskTime()) - before };
    },
    close: () => browser.close(),
  };

  async function taskTime() {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  }
}
