// @ts-check
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { root, runProcess, runTool } from '../run-process.mjs';
import { asOne } from './counts.mjs';
import { format, leftOutToday, svelteCheck, typedLint, vueTypes } from './days.mjs';
import { distrust, judge, toRepeat } from './flaky.mjs';
import { playwrightRuns, vitestRuns } from './reports.mjs';
import { dayNumber } from './views-of-the-day.mjs';

/**
 * @typedef {import('./closing-lines.mjs').Outcome} Outcome
 * @typedef {import('./reports.mjs').TestRun} TestRun
 * @typedef {'quick' | 'full'} Tier
 * @typedef {(text: string) => void} Print takes the output of a step that runs beside another one
 * @typedef {(context: { tier: Tier, print?: Print }) => Promise<Omit<Outcome, 'name' | 'seconds'>>} Step
 */

/** Folder of the reports of a run. */
export const reports = path.join(root, '.cache', 'reports');

/** @type {Step} */
export async function lint({ print }) {
  const left = leftOutToday('checks');
  const rules = left.includes(typedLint)
    ? await untypedRules(print)
    : await runTool('eslint', 'eslint', ['.'], { print });
  const layout = left.includes(format)
    ? 0
    : await runTool('prettier', 'prettier', ['--check', '.'], { print });
  return { counts: asOne(rules === 0 && layout === 0) };
}

/**
 * The rules that need no types. Each looks at one file, so that a file that has not changed is not read again.
 *
 * @param {Print} [print]
 */
function untypedRules(print) {
  const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', '.cache/eslint'];
  return runTool('eslint', 'eslint', ['.', ...cache], { print, env: { BANISTER_TYPED_LINT: 'off' } });
}

/** @type {Step} */
export async function types({ print }) {
  const left = leftOutToday('checks');
  // vue-tsc is tsc that reads components of Vue too.
  const code = left.includes(vueTypes)
    ? await runTool('@typescript/native', 'tsc', ['--noEmit'], { print })
    : await runTool('vue-tsc', 'vue-tsc', ['--noEmit'], { print });
  if (left.includes(svelteCheck)) return { counts: asOne(code === 0) };
  const svelteOptions = ['--tsconfig', 'tsconfig.svelte.json', '--threshold', 'warning'];
  const svelte = await runTool('svelte-check', 'svelte-check', svelteOptions, { print });
  return { counts: asOne(code === 0 && svelte === 0) };
}

/**
 * The size of what a page loads of the packages, within the limits.
 *
 * @type {Step}
 */
export async function size({ tier, print }) {
  const code =
    // Types have no size: the quick tier builds none.
    (await runTool('tsdown', 'tsdown', tier === 'full' ? [] : ['--no-dts'], { print })) ||
    // In its own process, because bundling for production sets NODE_ENV.
    (await runProcess(process.execPath, ['scripts/build-measured-pages.mjs'], { print })) ||
    (await runTool('size-limit', 'size-limit', [], { print }));
  return { counts: asOne(code === 0) };
}

/**
 * Packs every package, installs it in an empty project, and imports, type-checks and bundles it there.
 *
 * @type {Step}
 */
export async function packed({ print }) {
  return {
    counts: asOne((await runProcess(process.execPath, ['scripts/test-packed.mjs'], { print })) === 0),
  };
}

/**
 * Runs the tests that depend on the release of Node, on the releases that do not run this script.
 *
 * @type {Step}
 */
export async function nodes({ print }) {
  return {
    counts: asOne(
      (await runProcess(process.execPath, ['scripts/test-nodes.mjs', '--smoke'], { print })) === 0,
    ),
  };
}

/** Vitest alone would leave one of two processors unused, but three workers on two processors take longer than two. */
const WORKERS = Math.max(2, availableParallelism() - 1);

/** @type {Step} */
export async function unit({ tier }) {
  const env = { BANISTER_TIER: tier };
  /** @type {(file: string, args: readonly string[]) => Promise<{ code: number, runs: readonly TestRun[] }>} */
  const vitest = async (file, args) => {
    const report = path.join(reports, file);
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const code = await runTool(
      'vitest',
      'vitest',
      ['run', `--maxWorkers=${WORKERS}`, ...reporters, ...args],
      { env },
    );
    return { code, runs: vitestRuns(readReport(report), root) };
  };
  const { code, runs } = await vitest('unit.json', []);
  // Only tests in a browser may be late; a failed test in Node has failed.
  const failed = toRepeat(runs, ({ file }) => /\.browser\.test\.tsx?$/.test(file));
  const repeated = await repeat(failed, async () => {
    const files = [...new Set(failed.map(({ file }) => file))];
    return (await vitest('unit-repeated.json', ['--project', 'browser', '--no-file-parallelism', ...files]))
      .runs;
  });
  return distrust(code, runs, judge(runs, repeated));
}

/** The tests that the quick tier leaves out: all tests with `@full`, and for Vue and Svelte all but the stream tests. */
const notQuick = '@full|^\\s*(vue|svelte) chat/(?!stream)';

/** @type {Step} */
export async function e2e({ tier }) {
  const day = String(dayNumber(new Date()));
  /** @type {(file: string, args: readonly string[]) => Promise<{ code: number, runs: readonly TestRun[] }>} */
  const playwright = async (file, args) => {
    const report = path.join(reports, file);
    const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: report, BANISTER_VIEW_DAY: day };
    const code = await runTool('@playwright/test', 'playwright', ['test', '--reporter=list,json', ...args], {
      env,
    });
    return { code, runs: playwrightRuns(readReport(report)) };
  };
  const chosen = tier === 'full' ? [] : ['--grep-invert', notQuick];
  const { code, runs } = await playwright('e2e.json', chosen);
  const repeated = await repeat(
    toRepeat(runs),
    async () => (await playwright('e2e-repeated.json', [...chosen, '--last-failed', '--workers=1'])).runs,
  );
  return distrust(code, runs, judge(runs, repeated));
}

/**
 * @param {readonly TestRun[]} failed
 * @param {() => Promise<readonly TestRun[]>} run
 */
async function repeat(failed, run) {
  if (failed.length === 0) return [];
  console.log(`\n── once more, alone: ${failed.length} ──`);
  return await run();
}

/** @param {string} file */
function readReport(file) {
  if (!existsSync(file)) throw new Error('the runner wrote no report; its output above has the reason');
  return JSON.parse(readFileSync(file, 'utf8'));
}
