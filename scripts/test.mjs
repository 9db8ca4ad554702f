// @ts-check
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { ensureBrowser } from './ensure-browser.mjs';
import { ensureInstall } from './ensure-install.mjs';
import { root, runProcess, runTool } from './run-process.mjs';

/**
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 * @typedef {{ name: string, counts: Counts, seconds: number, note?: string }} Outcome
 */

const reports = path.join(root, '.cache', 'reports');
const unitReport = path.join(reports, 'unit.json');
const browserReport = path.join(reports, 'e2e.json');

// Every step runs, whatever became of the one before: one run tells all there is to mend.
/** @type {{ name: string, run: () => Promise<Omit<Outcome, 'name' | 'seconds'>> }[]} */
const steps = [
  { name: 'lint', run: lint },
  { name: 'types', run: types },
  { name: 'size', run: size },
  { name: 'unit', run: unit },
  { name: 'e2e', run: e2e },
];

process.exitCode = await main();

async function main() {
  /** @type {Outcome[]} */
  const outcomes = [];
  const ready = await step('set-up', async () => {
    await ensureInstall();
    await ensureBrowser();
    return { counts: { passed: 0, failed: 0, skipped: 0 } };
  });
  if (ready.counts.failed > 0) {
    outcomes.push(ready);
  } else {
    rmSync(reports, { recursive: true, force: true });
    mkdirSync(reports, { recursive: true });
    for (const { name, run } of steps) {
      console.log(`\n── ${name} ──`);
      outcomes.push(await step(name, run));
    }
  }
  return report(outcomes);
}

/**
 * @param {string} name
 * @param {() => Promise<Omit<Outcome, 'name' | 'seconds'>>} run
 * @returns {Promise<Outcome>}
 */
async function step(name, run) {
  const start = performance.now();
  const seconds = () => (performance.now() - start) / 1000;
  try {
    return { name, ...(await run()), seconds: seconds() };
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error);
    return { name, counts: { passed: 0, failed: 1, skipped: 0 }, note, seconds: seconds() };
  }
}

async function lint() {
  const rules = await runTool('eslint', 'eslint', ['.']);
  const format = await runTool('prettier', 'prettier', ['--check', '.']);
  return asOne(rules === 0 && format === 0);
}

async function types() {
  // vue-tsc is tsc that reads components of Vue too.
  const code = await runTool('vue-tsc', 'vue-tsc', ['--noEmit']);
  const svelte = await runTool('svelte-check', 'svelte-check', [
    '--tsconfig',
    'tsconfig.json',
    '--threshold',
    'warning',
  ]);
  return asOne(code === 0 && svelte === 0);
}

/** What a page loads of what we publish, within its limits. */
async function size() {
  const code =
    (await runTool('tsdown', 'tsdown', [])) ||
    // In a process of its own: bundling for production says so in the environment of whatever runs next.
    (await runProcess(process.execPath, ['scripts/build-measured-pages.mjs'])) ||
    (await runTool('size-limit', 'size-limit', []));
  return asOne(code === 0);
}

async function unit() {
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${unitReport}`];
  const code = await runTool('vitest', 'vitest', args);
  const result = JSON.parse(readFileSync(unitReport, 'utf8'));
  // A file that does not even load holds no failed test, and is a failure all the same.
  const broken = result.testResults.filter(
    (/** @type {{ status: string, assertionResults: { status: string }[] }} */ file) =>
      file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  return checked(code, {
    passed: result.numPassedTests,
    failed: result.numFailedTests + broken,
    skipped: result.numPendingTests + result.numTodoTests,
  });
}

async function e2e() {
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: browserReport };
  const code = await runTool('@playwright/test', 'playwright', ['test', '--reporter=list,json'], { env });
  const { stats } = JSON.parse(readFileSync(browserReport, 'utf8'));
  // A test that passed only at the second try did not pass.
  return checked(code, {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky,
    skipped: stats.skipped,
  });
}

/**
 * @param {boolean} passed
 * @returns {{ counts: Counts }}
 */
function asOne(passed) {
  return { counts: { passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 } };
}

/**
 * Distrusts a runner that is content with nothing, and one that is not content though no test failed.
 *
 * @param {number} code
 * @param {Counts} counts
 * @returns {{ counts: Counts, note?: string }}
 */
function checked(code, counts) {
  if (counts.passed + counts.failed === 0) return { counts: { ...counts, failed: 1 }, note: 'no test ran' };
  if (code !== 0 && counts.failed === 0) {
    return {
      counts: { ...counts, failed: 1 },
      note: `no test failed, but the runner ended with exit code ${code}`,
    };
  }
  return { counts };
}

/** @param {readonly Outcome[]} outcomes */
function report(outcomes) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  console.log('');
  for (const { name, counts, seconds, note } of outcomes) {
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    console.log(`${name.padEnd(6)} ${line(counts)} (${seconds.toFixed(1)} s)${note ? `: ${note}` : ''}`);
  }
  console.log(`\n${line(total)}`);
  return total.failed > 0 ? 1 : 0;
}

/** @param {Counts} counts */
function line({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
