import type { LogFact } from './log/log-fact.js';
import { logFacts } from './log/log-facts.js';
import { LogStage, type LogFixture } from './log/log-stage.js';
import { proveFacts } from './prove-facts.js';
import type { TestRunner } from './test-runner.js';

export type { LogFact } from './log/log-fact.js';
export type { LogFixture } from './log/log-stage.js';

export interface SessionLogConformanceOptions {
  /** Facts that do not hold for this log, each with its reason. They are reported as skipped. */
  readonly skip?: { readonly [F in LogFact]?: string } | undefined;
  /** How long the log may take for an answer, in milliseconds. Default 10,000. */
  readonly patienceMs?: number | undefined;
}

/**
 * Defines the tests that every `SessionLog` must pass. Declare a fact that does not hold in `skip`.
 *
 * @param name the name of the log, for the report
 * @param make creates an empty log; called for each test
 * @param runner the test runner: `{ describe, it }`
 * @example
 * import { describe, it } from 'vitest';
 *
 * sessionLogConformance('memoryLog', () => {
 *   const clock = createVirtualClock();
 *   return { log: memoryLog({ clock }), pass: (ms) => clock.advance(ms) };
 * }, { describe, it });
 */
export function sessionLogConformance(
  name: string,
  make: () => LogFixture | Promise<LogFixture>,
  runner: TestRunner,
  { skip = {}, patienceMs = 10_000 }: SessionLogConformanceOptions = {},
): void {
  const makeStage = async () => new LogStage(await make(), patienceMs);
  proveFacts(runner, `${name} as the log of a session`, logFacts, skip, makeStage);
}
