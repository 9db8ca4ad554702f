// @ts-check
// A process that keeps Vitest alive and runs the tests of the packages with mutated sources against one mutant after another. If a mutant
// never ends, the parent ends the process.
import path from 'node:path';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defaultClientConditions, defaultServerConditions } from 'vite';
import { createVitest } from 'vitest/node';
import { sourceCondition } from '../product.mjs';
import { root } from '../run-process.mjs';

/**
 * @typedef {{ file: string, code: string }} MutatedFile
 * @typedef {{ files: readonly MutatedFile[], tests: readonly string[] }} Task `tests` are parts of the paths of the test files
 *   to run, in their order
 * @typedef {{ file: string, seconds: number, entered: readonly string[] }} TestFile
 * @typedef {{ killer: { file: string, title: string } | null, ran: readonly TestFile[], seconds: number,
 *   slowestMs: number }} Verdict
 */

/** The code that replaces source files. @type {ReadonlyMap<string, string>} */
let replaced = new Map();

/** The test files of the running task; Vitest itself also returns those of earlier tasks. @type {import('vitest/node').TestModule[]} */
const ended = [];

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
    include: ['packages/{crew,provider,schema,session,stores}/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/*.browser.test.ts'],
    setupFiles: ['./scripts/mutation/entered.ts', './test/kit/preload-turns.ts'],
    provide: {
      propertySeed: Number(process.env['PROPERTY_SEED']),
      propertySettings: {
        PROPERTY_RUNS: process.env['PROPERTY_RUNS'],
        PROPERTY_SHRINK: process.env['PROPERTY_SHRINK'],
      },
      tier: 'quick',
    },
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
    bail: 1,
    testTimeout: Number(process.env['TEST_TIMEOUT']),
    // The parent treats a long silence as a mutant that never ends.
    reporters: [
      {
        onTestCaseResult: () => void process.send?.('alive'),
        onTestModuleEnd: (module) => void ended.push(module),
      },
    ],
    silent: true,
    sequence: { sequencer: GivenOrder },
  },
  {
    plugins: [
      {
        name: 'mutant',
        enforce: 'pre',
        load: (id) => replaced.get(id.split('?')[0] ?? ''),
      },
      svelte({ compilerOptions: { hmr: false } }),
    ],
    resolve: { conditions: [sourceCondition, ...defaultClientConditions] },
    ssr: { resolve: { conditions: [sourceCondition, ...defaultServerConditions] } },
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
async function run({ files, tests: parts }) {
  const start = performance.now();
  const before = replaced;
  replaced = new Map(files.map(({ file, code }) => [path.join(root, file), code]));
  for (const file of [...before.keys(), ...replaced.keys()]) vitest.invalidateFile(file);
  ended.length = 0;
  const { unhandledErrors } = await vitest.runTestSpecifications(chosen(parts));
  const seconds = (performance.now() - start) / 1000;
  const ran = ended.map((module) => ({
    file: nameOf(module),
    seconds: module.diagnostic().duration / 1000,
    entered: [...(module.meta().entered ?? [])],
  }));
  const tests = ended.flatMap((module) => [...module.children.allTests()]);
  const slowestMs = Math.max(0, ...tests.map((test) => test.diagnostic()?.duration ?? 0));
  for (const module of ended) {
    if (module.state() !== 'failed') continue;
    const [failed] = module.children.allTests('failed');
    const title = failed?.fullName ?? `the file does not load: ${module.errors()[0]?.message}`;
    return { killer: { file: nameOf(module), title }, ran, seconds, slowestMs };
  }
  const [error] = unhandledErrors;
  const killer = error === undefined ? null : { file: '', title: `unhandled: ${String(error)}` };
  return { killer, ran, seconds, slowestMs };
}

/** @param {readonly string[]} tests */
function chosen(tests) {
  const position = (/** @type {{ moduleId: string }} */ specification) => {
    const name = nameOf(specification);
    const found = tests.findIndex((part) => name.includes(part));
    // It runs last, because it replaces modules that later files in the same worker would get.
    return found >= 0 && name.endsWith('session-code.test.ts') ? Infinity : found;
  };
  return specifications
    .filter((specification) => position(specification) >= 0)
    .sort((one, other) => position(one) - position(other));
}

/** @param {{ moduleId: string }} file */
function nameOf({ moduleId }) {
  return path.relative(root, moduleId);
}

process.send?.('ready');
