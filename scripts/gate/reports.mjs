// @ts-check
import { stripVTControlCharacters } from 'node:util';

// Reads the JSON reports of Vitest and Playwright.

/**
 * A test that ran.
 *
 * @typedef {object} TestRun
 * @property {string} key the same in every run of the same test
 * @property {string} title for people: file, project, title
 * @property {string} file
 * @property {'passed' | 'failed' | 'skipped'} status
 * @property {string} [reason] why it failed, as the runner said it
 */

/**
 * The tests of a Vitest report. If a file does not load, it has no failed test; the file then counts as a failed test.
 *
 * @param {any} report
 * @param {string} root of the repository; files are named from there
 * @returns {readonly TestRun[]}
 */
export function vitestRuns(report, root) {
  return report.testResults.flatMap((/** @type {any} */ file) => {
    const name = file.name.replace(`${root.replace(/\/$/, '')}/`, '');
    /** @type {TestRun[]} */
    const runs = file.assertionResults.map((/** @type {any} */ test) => ({
      key: `${name} > ${test.fullName}`,
      title: `${name} > ${test.fullName}`,
      file: name,
      status: test.status === 'passed' || test.status === 'failed' ? test.status : 'skipped',
      ...reasonOf(test.failureMessages?.[0]),
    }));
    if (file.status !== 'failed' || runs.some(({ status }) => status === 'failed')) return runs;
    return [
      ...runs,
      { key: name, title: `${name} does not load`, file: name, status: 'failed', ...reasonOf(file.message) },
    ];
  });
}

/** The number of lines of a reason that are repeated at the end of a run. */
const REASON_LINES = 12;

/**
 * The beginning of an error message, without the colours of a terminal.
 *
 * @param {string | undefined} message
 * @returns {{ reason?: string }}
 */
function reasonOf(message) {
  if (!message) return {};
  return { reason: stripVTControlCharacters(message).split('\n').slice(0, REASON_LINES).join('\n') };
}

/** @type {Readonly<Record<string, TestRun['status']>>} */
const statusOf = { expected: 'passed', unexpected: 'failed', flaky: 'failed', skipped: 'skipped' };

/**
 * The tests of a Playwright report, each once for every project. An error outside of a test counts as a failed test. The key of a
 * test is its title, because `spec.id` belongs to the first project of the report for a spec, and that is a different project if a
 * single project is repeated.
 *
 * @param {any} report
 * @returns {readonly TestRun[]}
 */
export function playwrightRuns(report) {
  /** @type {(suite: any, titles: readonly string[]) => TestRun[]} */
  const inSuite = (suite, titles) => [
    ...(suite.specs ?? []).flatMap((/** @type {any} */ spec) =>
      spec.tests.map((/** @type {any} */ test) => {
        const title = `[${test.projectName}] ${[spec.file, ...titles, spec.title].join(' > ')}`;
        const message = test.results?.find((/** @type {any} */ { error }) => error)?.error.message;
        return {
          key: title,
          title,
          file: spec.file,
          status: statusOf[test.status] ?? 'failed',
          ...reasonOf(message),
        };
      }),
    ),
    ...(suite.suites ?? []).flatMap((/** @type {any} */ inner) => inSuite(inner, [...titles, inner.title])),
  ];
  const errors = (report.errors ?? []).map((/** @type {any} */ error, /** @type {number} */ index) => ({
    key: `error ${index}`,
    title: `outside of a test: ${String(error.message).split('\n')[0]}`,
    file: '',
    status: /** @type {const} */ ('failed'),
  }));
  return [...report.suites.flatMap((/** @type {any} */ suite) => inSuite(suite, [])), ...errors];
}
