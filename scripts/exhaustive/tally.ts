/** The result of a check of many cases. */
export interface Tally {
  passed: number;
  failed: number;
  /** The first failures, in words. */
  readonly failures: string[];
}

/** The number of failures that are printed. */
const SHOWN = 10;

export function createTally(): Tally {
  return { passed: 0, failed: 0, failures: [] };
}

/** Counts a case with its problems. */
export function count(tally: Tally, name: string, problems: readonly string[]): void {
  if (problems.length === 0) {
    tally.passed++;
    return;
  }
  tally.failed++;
  if (tally.failures.length < SHOWN) tally.failures.push(`${name}: ${problems.join('; ')}`);
}

/** Adds the tally of another process. */
export function add(tally: Tally, other: Tally): void {
  tally.passed += other.passed;
  tally.failed += other.failed;
  tally.failures.push(...other.failures.slice(0, SHOWN - tally.failures.length));
}
