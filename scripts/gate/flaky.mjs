// @ts-check

/** @typedef {import('./reports.mjs').TestRun} TestRun */

/** If more tests than this fail, the run is broken and not flaky: no test is repeated. */
export const REPEAT_LIMIT = 10;

/**
 * The failed tests that are run once more; an empty list if there are too many.
 *
 * @param {readonly TestRun[]} runs
 * @param {(run: TestRun) => boolean} [isRepeatable] by default every test
 * @returns {readonly TestRun[]}
 */
export function toRepeat(runs, isRepeatable = () => true) {
  const failed = runs.filter((run) => run.status === 'failed' && isRepeatable(run));
  return failed.length > REPEAT_LIMIT ? [] : failed;
}

/**
 * Judges a run by its repetition. A failed test is flaky if it passes in the repetition; it stays failed if it fails there or does
 * not run.
 *
 * @param {readonly TestRun[]} runs
 * @param {readonly TestRun[]} repeated of failed tests
 * @returns {{ counts: import('./counts.mjs').Counts, flaky: readonly string[], failures: readonly string[], skipped: readonly string[] }}
 */
export function judge(runs, repeated) {
  const passedAlone = new Set(repeated.filter(({ status }) => status === 'passed').map(({ key }) => key));
  const failed = runs.filter(({ status }) => status === 'failed');
  const flaky = failed.filter(({ key }) => passedAlone.has(key));
  const skipped = runs.filter(({ status }) => status === 'skipped');
  return {
    counts: {
      passed: runs.length - failed.length - skipped.length,
      failed: failed.length - flaky.length,
      skipped: skipped.length,
    },
    flaky: flaky.map(withReason),
    failures: failed.filter((run) => !flaky.includes(run)).map(withReason),
    skipped: skipped.map(({ title }) => title),
  };
}

/** @param {TestRun} run */
function withReason({ title, reason }) {
  return reason === undefined ? title : `${title}\n${reason.replace(/^/gm, '    ')}`;
}

/**
 * Counts a runner as failed if it ran no test, or if it ended with an error although no test failed.
 *
 * @param {number} exitCode of the first run
 * @param {readonly TestRun[]} runs
 * @param {ReturnType<typeof judge>} judged
 * @returns {ReturnType<typeof judge> & { note?: string }}
 */
export function distrust(exitCode, runs, judged) {
  const oneMore = { ...judged.counts, failed: judged.counts.failed + 1 };
  if (!runs.some(({ status }) => status !== 'skipped')) {
    return { ...judged, counts: oneMore, note: 'no test ran' };
  }
  if (exitCode !== 0 && !runs.some(({ status }) => status === 'failed')) {
    const note = `no test failed, but the runner ended with exit code ${exitCode}`;
    return { ...judged, counts: oneMore, note };
  }
  return judged;
}
