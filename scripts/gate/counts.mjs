// @ts-check

/**
 * The numbers of tests or checks of a step.
 *
 * @typedef {{ passed: number, failed: number, skipped: number }} Counts
 */

/** @type {Readonly<Counts>} */
export const none = Object.freeze({ passed: 0, failed: 0, skipped: 0 });

/**
 * The counts of a step that passes or fails as one.
 *
 * @param {boolean} passed
 * @returns {Counts}
 */
export function asOne(passed) {
  return { ...none, passed: passed ? 1 : 0, failed: passed ? 0 : 1 };
}

/**
 * @param {readonly Counts[]} all
 * @returns {Counts}
 */
export function sumOf(all) {
  return all.reduce(
    (sum, { passed, failed, skipped }) => ({
      passed: sum.passed + passed,
      failed: sum.failed + failed,
      skipped: sum.skipped + skipped,
    }),
    none,
  );
}

/**
 * `3 passed, 0 failed`, with `, 2 skipped` where there are any.
 *
 * @param {Counts} counts
 */
export function lineOf({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
