import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright';
import { browserFlags, findBrowser } from '../../scripts/find-browser.mjs';

const folder = new URL('../../.cache/bench/storage/', import.meta.url);

/** The page of the group `storage`, in its own browser. */
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
  // Measure CPU time instead of clock time.
  await devTools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const load = async () => {
    await page.goto(address);
    await page.waitForFunction(() => 'bench' in globalThis);
  };
  await load();
  return {
    reload: load,
    /** Calls a function of the page. Resolves with its result, and with the CPU time of all tasks of the page meanwhile, in ms. */
    async run(task, ...args) {
      const before = await taskTime();
      const result = await call(task, args);
      return { ...result, tasks: (await taskTime()) - before };
    },
    /** Calls a function of the page. Resolves with the CPU time of its longest task, in ms, which does not grow on a busy machine. */
    async longestTask(task, ...args) {
      const events = [];
      const collect = ({ value }) => events.push(...value);
      devTools.on('Tracing.dataCollected', collect);
      await devTools.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } });
      await call(task, args);
      const complete = new Promise((resolve) => devTools.once('Tracing.tracingComplete', resolve));
      await devTools.send('Tracing.end');
      await complete;
      devTools.off('Tracing.dataCollected', collect);
      return longestOf(events);
    },
    close: () => browser.close(),
  };

  function call(task, args) {
    return page.evaluate(([name, given]) => globalThis.bench[name](...given), [task, args]);
  }

  async function taskTime() {
    const { metrics } = await devTools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration').value * 1000;
  }
}

/** The CPU time of the longest task of the page's main thread in a trace, in ms. */
function longestOf(events) {
  const main = events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain');
  const isMain = ({ pid, tid }) => main.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = events.filter((event) => event.name === 'ThreadControllerImpl::RunTask' && isMain(event));
  assert.notEqual(tasks.length, 0);
  // If a task has not ended at the end of the trace, it has no duration.
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}
