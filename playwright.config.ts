import { readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { defineConfig } from '@playwright/test';
import type { ViewOption } from './apps/chat/e2e/fixture.ts';
import { viewNames } from './apps/chat/src/view/chat-views.ts';
import { browserFlags, findPageBrowser } from './scripts/find-browser.mjs';
import { leftOutToday } from './scripts/gate/days.mjs';
import { leftOut } from './scripts/gate/views-of-the-day.mjs';

/** The port of the server under test, once it is known. Workers read this file too and inherit it. */
const PORT = 'BANISTER_E2E_PORT';

const given = process.env[PORT] !== undefined;
// A port of its own, so that a demo that happens to be running is neither disturbed nor tested by mistake.
const port = (process.env[PORT] ??= String(await freePort()));
const baseURL = `http://127.0.0.1:${port}`;

const specs = 'apps/chat/e2e';

export default defineConfig<ViewOption>({
  testDir: specs,
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results',
  // Limits for what hangs: a loaded machine takes several times as long as an idle one.
  timeout: 300_000,
  expect: { timeout: 30_000 },
  // `scripts/test.mjs` repeats a test that fails, once and alone, and names it when it passes then.
  retries: 0,
  // One more than two processors: there is always a scene that waits.
  workers: 3,
  fullyParallel: true,
  forbidOnly: Boolean(process.env['CI']),
  reporter: 'list',
  projects: [
    // The chat, drawn by each framework.
    ...viewNames.map((view) => ({
      name: view,
      testDir: `${specs}/chat`,
      testIgnore: ofToday(view),
      use: { view },
    })),
    // Everything around the chat, which is the same for all of them.
    { name: 'page', testDir: `${specs}/page`, testIgnore: ofOtherDays('page') },
  ],
  use: {
    baseURL,
    browserName: 'chromium',
    launchOptions: { executablePath: findPageBrowser(), args: [...browserFlags] },
  },
  webServer: {
    command: 'node scripts/serve-built.mjs',
    url: baseURL,
    // Without the keys of a developer, which would offer a gateway.
    env: { PORT: port, OPENAI_API_KEY: '', OPENAI_BASE_URL: '', ANTHROPIC_API_KEY: '' },
    reuseExistingServer: given && !process.env['CI'],
    timeout: 120_000,
  },
});

/** The scenes that a view leaves out in a run of the day; none in a run by hand. */
function ofToday(view: string): string[] {
  const day = process.env['BANISTER_VIEW_DAY'];
  if (day === undefined) return [];
  const files = readdirSync(`${specs}/chat`).filter((file) => file.endsWith('.spec.ts'));
  return [...leftOut(view, files, Number(day)).map((file) => `**/${file}`), ...ofOtherDays('chat')];
}

/** The scenes of a folder that the quick tier runs on other days. */
function ofOtherDays(folder: 'chat' | 'page'): string[] {
  return leftOutToday('scenes')
    .filter((file) => file.startsWith(folder))
    .map((file) => `**/${file}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(chosen));
    });
  });
}
