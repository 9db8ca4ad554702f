// The browser freezes a tab. Messages still reach it, but its timers do not fire, and requests of its
// database do not end.
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { HiddenPage } from './hidden-page.js';
import { KilledBrowser } from './killed-browser.js';
import { ServedPage } from './served-page.js';

declare const window: { readonly page: HiddenPage };

const patience = { timeout: 60_000 };
const stateOf = (page: Page) => page.evaluate(() => window.page.state());

let served: ServedPage;
beforeAll(async () => {
  served = await ServedPage.start('hidden-page');
});
afterAll(() => served.close());

/** Calls `act` with two pages. The first page opened the chat first. */
async function inTwoTabs(act: (first: Page, second: Page) => Promise<void>): Promise<void> {
  const browser = await KilledBrowser.start();
  try {
    const open = async () => {
      const page = await browser.open(served.address);
      await vi.waitUntil(() => page.evaluate(() => window.page.isOpen()), patience);
      return page;
    };
    await act(await open(), await open());
  } finally {
    await browser.close();
  }
}

/** Freezes a page. Returns a function that unfreezes it. */
async function freeze(page: Page): Promise<() => Promise<void>> {
  const devTools = await page.context().newCDPSession(page);
  const frozen = page.evaluate(
    () => new Promise<void>((resolve) => document.addEventListener('freeze', () => resolve())),
  );
  await devTools.send('Page.setWebLifecycleState', { state: 'frozen' });
  await frozen;
  return async () => void (await devTools.send('Page.setWebLifecycleState', { state: 'active' }));
}

test('F12 a frozen follower does not delay the writer, and gets its turn when it resumes', async () => {
  await inTwoTabs(async (writer, follower) => {
    await writer.bringToFront();
    const thaw = await freeze(follower);
    await writer.evaluate(() => window.page.endTool());
    await writer.evaluate(() => window.page.begin());
    await vi.waitUntil(async () => (await stateOf(writer)).outcome !== undefined, patience);
    expect(await stateOf(writer)).toMatchObject({ role: 'writer', outcome: 'completed', errors: [] });
    expect(await stateOf(follower)).toMatchObject({ role: 'follower', outcome: undefined });
    await thaw();
    await vi.waitUntil(async () => (await stateOf(follower)).outcome !== undefined, patience);
    expect(await stateOf(follower)).toMatchObject({ role: 'follower', outcome: 'completed', errors: [] });
  });
});

test('F12 a writer that is frozen while its tool works loses its log to a tab with a command, and reverts nothing when it resumes', async () => {
  await inTwoTabs(async (writer, seen) => {
    await writer.evaluate(() => window.page.begin());
    await vi.waitUntil(async () => (await stateOf(writer)).cards.length > 0, patience);
    await seen.bringToFront();
    const thaw = await freeze(writer);
    const cancelled = seen.evaluate(() => window.page.cancel());
    await vi.waitUntil(async () => (await stateOf(seen)).role === 'writer', patience);
    // The log does not say that the frozen writer began the cancel, so the next writer cancels the
    // interrupted turn.
    expect(await cancelled).toBe('idle');
    await thaw();
    await writer.evaluate(() => window.page.endTool());
    await vi.waitUntil(async () => (await stateOf(writer)).failure !== undefined, patience);
    await vi.waitUntil(async () => (await stateOf(writer)).role === 'follower', patience);
    expect(await stateOf(writer)).toMatchObject({ failure: 'fenced', cards: ['Plan'], errors: [] });
    expect(await stateOf(seen)).toMatchObject({ role: 'writer', ownerChanges: 1, cards: [], errors: [] });
  });
});

test('a frozen tab does not prevent another tab from remembering an approval', async () => {
  await inTwoTabs(async (seen, frozen) => {
    await seen.bringToFront();
    const thaw = await freeze(frozen);
    expect(await seen.evaluate(() => window.page.grant('one'))).toEqual(['one']);
    // The other tab has heard of the first tab. After a minute, Chromium would end a transaction that blocks
    // others.
    let granted: readonly string[] = [];
    void seen.evaluate(() => window.page.grant('two')).then((ids) => (granted = ids));
    await vi.waitUntil(() => granted.length === 2, { timeout: 20_000 });
    await thaw();
    await vi.waitUntil(async () => (await stateOf(frozen)).grants.length === 2, patience);
  });
});
