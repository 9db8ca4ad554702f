import type { SessionFact } from './session/session-fact.js';
import { sessionFacts } from './session/session-facts.js';
import { SessionStage, type MakeSession } from './session/session-stage.js';
import type { TestRunner } from './test-runner.js';

export type { SessionFact } from './session/session-fact.js';
export type { AgentSessionFixture, MakeSession } from './session/session-stage.js';

export interface AgentSessionConformanceOptions {
  /** Facts that do not hold for this session, each with the reason. They are reported as skipped. */
  readonly skip?: { readonly [F in SessionFact]?: string } | undefined;
  /** How long the session may take for one step, in real time, in milliseconds. Default 10,000. */
  readonly patienceMs?: number | undefined;
}

/**
 * Defines the tests that every `AgentSession` must pass, wherever it runs. A fact that does not hold must be declared in `skip`.
 *
 * @param name of the session, for the report
 * @param make makes a session of options, or a session that presents one of these options, afresh for each test
 * @param runner of tests: `{ describe, it }`
 * @example
 * import { describe, it } from 'vitest';
 *
 * agentSessionConformance('createAgentSession', (options) => ({ session: createAgentSession(options) }), { describe, it });
 */
export function agentSessionConformance(
  name: string,
  make: MakeSession,
  { describe, it }: TestRunner,
  { skip = {}, patienceMs = 10_000 }: AgentSessionConformanceOptions = {},
): void {
  describe(`${name} as a session`, () => {
    for (const { fact, description, prove } of sessionFacts) {
      const reason = skip[fact];
      if (reason !== undefined) it.skip(`${description} (gap: ${reason})`, () => {});
      else {
        it(description, async () => {
          const stage = new SessionStage(make, patienceMs);
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
