import { channelFacts } from './log/channel-facts.js';
import { hostileFacts } from './log/hostile-facts.js';
import { listFacts } from './log/list-facts.js';
import type { LogFact } from './log/log-fact.js';
import { LogStage, type LogFixture } from './log/log-stage.js';
import { readerFacts } from './log/reader-facts.js';
import { writerFacts } from './log/writer-facts.js';
import type { TestRunner } from './test-runner.js';

export type { LogFact } from './log/log-fact.js';
export type { LogFixture } from './log/log-stage.js';

export interface SessionLogConformanceOptions {
  /** Facts that do not hold for this log, each with the reason. They are reported as skipped. */
  readonly skip?: { readonly [F in LogFact]?: string } | undefined;
}

/**
 * Defines the tests that every `SessionLog` must pass. A fact that does not hold must be declared in `skip`.
 *
 * @param name of the log, for the report
 * @param make makes an empty log, afresh for each test
 * @param runner of tests: `{ describe, it }`
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
  { describe, it }: TestRunner,
  { skip = {} }: SessionLogConformanceOptions = {},
): void {
  describe(`${name} as the log of a session`, () => {
    for (const { fact, description, prove } of [
      ...writerFacts,
      ...readerFacts,
      ...listFacts,
      ...channelFacts,
      ...hostileFacts,
    ]) {
      const reason = skip[fact];
      if (reason !== undefined) it.skip(`${description} (gap: ${reason})`, () => {});
      else {
        it(description, async () => {
          const stage = new LogStage(await make());
          try {
            await prove(stage);
          } finally {
            await stage.clear();
          }
        });
      }
    }
  });
}
