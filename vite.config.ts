import { svelte } from '@sveltejs/vite-plugin-svelte';
import { playwright } from '@vitest/browser-playwright';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';
import { browserFlags, findPageBrowser } from './scripts/find-browser.mjs';
import { leftOutToday } from './scripts/gate/days.mjs';
import { sourceCondition } from './scripts/product.mjs';
import { docViews } from './test/kit/doc-views.js';
import { inOwnWorker } from './test/kit/own-worker.js';
import { propertySeed, propertySettings, tierOf } from './test/kit/property-seed.js';
import { renderOnServer } from './test/kit/render-on-server.js';

/** Tests run on the sources of every package: what fails points at the line that was written. */
const shared = {
  // Without hot replacement: the plugin would decide about it by whichever project's server it met last.
  plugins: [svelte({ compilerOptions: { hmr: false } })],
  resolve: { conditions: [sourceCondition, ...defaultClientConditions] },
  ssr: { resolve: { conditions: [sourceCondition, ...defaultServerConditions] } },
};

/** Tests count microtasks; `session-code.test.ts` is the one about turns whose code is still on its way. */
const setupFiles = ['./test/kit/preload-turns.ts'];

/** In the environment as well, so that the processes of this run have the same seed, also past midnight. */
const seed = propertySeed(process.env['PROPERTY_SEED'], new Date());
const isAnnounced =
  process.env['PROPERTY_SEED'] === String(seed) && process.env['BANISTER_SEED'] !== undefined;
process.env['PROPERTY_SEED'] = process.env['BANISTER_SEED'] = String(seed);
if (!isAnnounced) console.log(`Seed of the properties: ${seed}. PROPERTY_SEED=${seed} repeats this run.`);

const tier = tierOf(process.env['BANISTER_TIER']);

const patience = {
  // Most tests keep a processor busy, and a loaded machine takes as long as it takes: a limit is for what hangs.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000 } },
  provide: {
    propertySeed: seed,
    propertySettings: propertySettings(process.env),
    tier,
  },
};

const browserTests = '**/*.browser.test.{ts,tsx}';

const nodeTests = [
  'packages/*/src/**/*.test.{ts,tsx}',
  'packages/*/test/**/*.test.{ts,tsx}',
  'apps/*/src/**/*.test.{ts,tsx}',
  'test/**/*.test.ts',
  'scripts/**/*.test.ts',
  'bench/**/*.test.ts',
];

const alone = inOwnWorker(['packages', 'apps', 'test', 'scripts', 'bench']);

function inNode(
  name: string,
  {
    isolate,
    include = nodeTests,
    exclude = [],
  }: { isolate: boolean; include?: string[]; exclude?: string[] },
) {
  return {
    ...shared,
    test: {
      ...patience,
      name,
      environment: 'node',
      // Threads begin faster than processes, and share what Node has read.
      pool: 'threads' as const,
      isolate,
      setupFiles,
      include,
      exclude: ['**/node_modules/**', '**/dist/**', browserTests, ...exclude, ...leftOutToday('tests')],
    },
  };
}

export default defineConfig({
  ...shared,
  test: {
    projects: [
      // In the full tier each file has modules of its own. In the quick one the files of a worker share what it has loaded, which takes a
      // quarter less time, but for those that change their worker.
      inNode('unit', { isolate: tier === 'full', exclude: alone }),
      inNode('alone', { isolate: true, include: alone }),
      {
        ...shared,
        // Flags by which a bundler leaves parts of Vue out; Vue warns when they are not set.
        define: {
          __VUE_OPTIONS_API__: false,
          __VUE_PROD_DEVTOOLS__: false,
          __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: false,
        },
        // Named here because a dependency found in the middle of a run reloads the page under the tests.
        optimizeDeps: {
          include: [
            '@cfworker/json-schema',
            '@eslint-community/regexpp',
            '@preact/signals-core',
            '@testing-library/react',
            'ajv',
            'ajv/dist/2020.js',
            'axe-core',
            'idb',
            'markdown-it',
            'openai',
            'react',
            'react-dom',
            'react-dom/client',
            'react/jsx-dev-runtime',
            'react/jsx-runtime',
            'remend',
            'rxjs',
            'svelte',
            'svelte/reactivity',
            'vue',
          ],
        },
        test: {
          ...patience,
          name: 'browser',
          // As in Node: the files of the quick tier share a page, and what it has loaded.
          isolate: tier === 'full',
          setupFiles,
          include: [
            `packages/*/src/${browserTests}`,
            `packages/*/test/${browserTests}`,
            `apps/*/src/${browserTests}`,
            `test/${browserTests}`,
          ],
          exclude: ['**/node_modules/**', '**/dist/**', ...leftOutToday('tests')],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            commands: { renderOnServer: renderOnServer(shared), docViews },
            provider: playwright({
              launchOptions: { executablePath: findPageBrowser(), args: [...browserFlags] },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
});
