// @ts-check
// A process that keeps Vitest alive and runs the tests of packages/session against one mutant after the other. The parent
// ends it when a mutant never ends.
import path from 'node:path';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { createVitest } from 'vitest/node';
import { root } from '../run-process.mjs';

/**
 * @typedef {{ file: string, code: string }} MutatedFile
 * @typedef {{ mutated: MutatedFile | null, order: readonly string[] }} Task `order` names the test files that run first
 * @typedef {{ killer: { file: string, title: string } | null, fastest: readonly string[], seconds: number }} Verdict
 *   `fastest` names the test files that ran, the fastest first
 */

const source = '@handrail/source';

/** @type {MutatedFile | null} */
let current = null;

/** Runs the specifications as they are given. */
class GivenOrder {
  /** @param {import('vitest/node').TestSpecification[]} files */
  shard(files) {
    return Promise.resolve(files);
  }
  /** @param {import('vitest/node').TestSpecification[]} files */
  sort(files) {
    return Promise.resolve(files);
  }
}

const vitest = await createVitest(
  'test',
  {
    root,
    config: false,
    watch: false,
    include: ['packages/session/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.browser.test.ts'],
    setupFiles: ['./test/kit/preload-turns.ts'],
    provide: { propertySeed: Number(process.env['PROPERTY_SEED']), tier: 'quick' },
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
    bail: 1,
    // For a loaded machine; the parent notices a mutant that waits for ever before that.
    testTimeout: 60_000,
    // The parent takes a long silence for a mutant that never ends.
    reporters: [{ onTestCaseResult: () => void process.send?.('alive') }],
    silent: true,
    sequence: { sequencer: GivenOrder },
  },
  {
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load: (id) => (current !== null && id.split('?')[0] === current.file ? current.code : undefined),
      },
    ],
    resolve: { conditions: [source, ...defaultClientConditions] },
    ssr: { resolve: { conditions: [source, ...defaultServerConditions] } },
  },
);
const specifications = await vitest.globTestSpecifications();

process.on(
  'message',
  (/** @type {Task} */ task) => void run(task).then((verdict) => process.send?.(verdict)),
);

/**
 * @param {Task} task
 * @returns {Promise<Verdict>}
 */
async function run({ mutated, order }) {
  const start = performance.now();
  for (const file of [current?.file, mutated?.file]) if (file !== undefined) vitest.invalidateFile(file);
  current = mutated;
  const rank = (/** @type {{ moduleId: string }} */ { moduleId }) => {
    const file = path.relative(root, moduleId);
    // It replaces modules, which the files after it would get in the worker that they share.
    if (file.endsWith('turn-code.test.ts')) return Infinity;
    const position = order.indexOf(file);
    return position === -1 ? order.length : position;
  };
  const sorted = [...specifications].sort((one, other) => rank(one) - rank(other));
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(sorted);
  const seconds = (performance.now() - start) / 1000;
  const fastest = [...testModules]
    .sort((one, other) => one.diagnostic().duration - other.diagnostic().duration)
    .map(({ moduleId }) => path.relative(root, moduleId));
  for (const module of testModules) {
    if (module.state() !== 'failed') continue;
    const file = path.relative(root, module.moduleId);
    const [failed] = module.children.allTests('failed');
    return { killer: { file, title: failed?.fullName ?? 'the file does not load' }, fastest, seconds };
  }
  const [error] = unhandledErrors;
  const killer = error === undefined ? null : { file: '', title: `unhandled: ${String(error)}` };
  return { killer, fastest, seconds };
}

process.send?.('ready');
