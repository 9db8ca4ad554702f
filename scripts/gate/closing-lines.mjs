// @ts-check
import { lineOf, none, sumOf } from './counts.mjs';

/**
 * The result of a step.
 *
 * @typedef {object} Outcome
 * @property {string} name of the step
 * @property {import('./counts.mjs').Counts} counts flaky tests are counted nowhere here
 * @property {number} seconds
 * @property {string} [note] why it failed where no test did
 * @property {readonly string[]} [skipped] titles of the skipped tests, with the reason in each
 * @property {readonly string[]} [failures] titles of the tests that failed, each with its reason in the lines below it
 * @property {readonly string[]} [flaky] titles of the tests that failed, and passed when they ran again alone
 */

/** As many flaky tests as a run may have and stay green. */
export const FLAKY_LIMIT = 3;

/**
 * The lines that end a run, and its exit code. The last line is `N passed, N failed` and nothing else. Up to
 * {@link FLAKY_LIMIT} flaky tests count as passed; more of them count as failed, all of them.
 *
 * @param {readonly Outcome[]} outcomes
 * @param {readonly string[]} [remarks] lines about the whole run: its seed, its recordings
 * @returns {{ lines: readonly string[], exitCode: 0 | 1 }}
 */
export function closingLines(outcomes, remarks = []) {
  const skipped = outcomes.flatMap((outcome) => outcome.skipped ?? []);
  const flaky = outcomes.flatMap((outcome) => outcome.flaky ?? []);
  const failures = outcomes.flatMap((outcome) => outcome.failures ?? []);
  const tooMany = flaky.length > FLAKY_LIMIT;
  const ofFlaky = { ...none, [tooMany ? 'failed' : 'passed']: flaky.length };
  const total = sumOf([...outcomes.map(({ counts }) => counts), ofFlaky]);
  const lines = [
    ...named('Skipped', skipped),
    ...named(`Flaky${tooMany ? `, more than the ${FLAKY_LIMIT} that a run may have` : ''}`, flaky),
    ...named('Failed', failures),
    ...remarks,
    '',
    ...outcomes.map(stepLine),
    '',
    lineOf(total),
  ];
  return { lines, exitCode: total.failed > 0 ? 1 : 0 };
}

/**
 * @param {string} heading
 * @param {readonly string[]} titles
 */
function named(heading, titles) {
  return titles.length === 0
    ? []
    : [`${heading} (${titles.length}):`, ...titles.map((title) => `  ${title}`)];
}

/** @param {Outcome} outcome */
function stepLine({ name, counts, seconds, note, flaky = [] }) {
  const unsteady = flaky.length > 0 ? `, ${flaky.length} flaky` : '';
  return `${name.padEnd(6)} ${lineOf(counts)}${unsteady} (${seconds.toFixed(1)} s)${note ? `: ${note}` : ''}`;
}
