import fc from 'fast-check';
import { expect, inject } from 'vitest';
import { sampleSize } from './sample-size.js';

/**
 * Settings of one property: its number of runs and its seed. A property that fails prints the command that repeats it.
 *
 * The seed is the seed of the day, the same for every property; `PROPERTY_SEED` overrides it. `PROPERTY_RUNS` overrides the
 * number of runs, `PROPERTY_PATH` begins at one case, `PROPERTY_SHRINK=0` shows a failure as it was found.
 *
 * @param title names the property in the message of a failure
 * @param runs in the full tier; the quick tier runs a share of them
 * @example
 * await fc.assert(fc.asyncProperty(steps, keepsItsPromises), propertyRun('schedules', 2_000));
 */
export function propertyRun<T>(title: string, runs: number): fc.Parameters<T> {
  const { PROPERTY_RUNS, PROPERTY_PATH, PROPERTY_SHRINK } = inject('propertySettings');
  const report = (details: fc.RunDetails<T>): void => {
    if (details.failed) throw new Error(failureText(title, details), { cause: details.errorInstance });
  };
  return {
    numRuns: PROPERTY_RUNS === undefined ? sampleSize(runs) : Number(PROPERTY_RUNS),
    seed: inject('propertySeed'),
    endOnFailure: PROPERTY_SHRINK === '0',
    ...(PROPERTY_PATH === undefined ? {} : { path: PROPERTY_PATH }),
    reporter: report,
  };
}

/** The counterexample, and the command that runs it again. */
export function failureText<T>(title: string, details: fc.RunDetails<T>): string {
  const { testPath = 'FILE', currentTestName = '' } = expect.getState();
  const path = details.counterexamplePath === null ? '' : ` PROPERTY_PATH=${details.counterexamplePath}`;
  const test = currentTestName.replaceAll(' > ', ' ');
  return [
    `The property "${title}" fails.`,
    `To repeat it: PROPERTY_SEED=${details.seed}${path} npx vitest run ${testPath} -t ${JSON.stringify(test)}`,
    fc.defaultReportMessage(details) ?? '',
  ].join('\n');
}
