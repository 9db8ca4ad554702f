// A hidden tab in Chromium: its timers fire once a second, later once a minute.
import type { Page } from 'playwright';
import { expect, test, vi } from 'vitest';
import type { HiddenPage } from './hidden-page.js';
import { KilledBrowser } from './killed-browser.js';
import { ServedPage } from './served-page.js';

declare const window: { readonly page: HiddenPage };

const patience = { timeout: 60_000 };
const stateOf = (page: Page) => page.evaluate(() => window.page.state());

async function openTab(browser: KilledBrowser, address: string): Promise<Page> {
  const page = await browser.open(address);
  await vi.waitUntil(() => page.evaluate(() => window.page.isOpen()), patience);
  return page;
}

test('a hidden tab whose timers fire once a minute, on a slow processor, keeps its lock while its tool works, and carries out a cancel of another tab', async () => {
  // Chromium throttles strictly five minutes after a tab was hidden; with this flag it does so immediately.
  const throttle = '--enable-features=IntensiveWakeUpThrottling:grace_period_seconds/0';
  const [browser, served] = [await KilledBrowser.start([throttle]), await ServedPage.start('hidden-page')];
  try {
    const hidden = await openTab(browser, served.address);
    await hidden.evaluate(() => window.page.begin());
    await vi.waitUntil(async () => (await stateOf(hidden)).cards.length > 0, patience);

    const seen = await openTab(browser, served.address);
    await seen.bringToFront();
    expect(await stateOf(hidden)).toMatchObject({ visibility: 'hidden', role: 'writer' });
    expect(await stateOf(seen)).toMatchObject({
      visibility: 'visible',
      role: 'follower',
      phase: 'executing',
    });
    expect(await hidden.evaluate(() => window.page.timersInASecond())).toBeLessThan(5);
    const devTools = await hidden.context().newCDPSession(hidden);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate: 6 });

    const cancelled = seen.evaluate(() => window.page.cancel());
    await vi.waitUntil(async () => (await stateOf(hidden)).phase === 'cancelling', patience);
    // This is longer than a writer may be silent while a command waits. The hidden tab answers the question
    // of the other tab, and keeps the log.
    await new Promise((resolve) => setTimeout(resolve, 8_000));
    expect([await stateOf(hidden), await stateOf(seen)]).toMatchObject([
      { visibility: 'hidden', role: 'writer', phase: 'cancelling', cards: ['Plan'], errors: [] },
      { role: 'follower', phase: 'cancelling' },
    ]);

    await hidden.evaluate(() => window.page.endTool());
    expect(await cancelled).toBe('executing');
    expect(await stateOf(hidden)).toMatchObject({
      role: 'writer',
      outcome: 'cancelled',
      cards: [],
      errors: [],
    });
    expect(await stateOf(seen)).toMatchObject({ role: 'follower', ownerChanges: 0, errors: [] });
  } finally {
    await browser.close();
    served.close();
  }
});
