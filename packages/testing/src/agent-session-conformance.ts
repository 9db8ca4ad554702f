import { proveFacts } from './prove-facts.js';
import type { SessionFact } from './session/session-fact.js';
import { sessionFacts } from './session/session-facts.js';
import { SessionStage, type MakeSession } from './session/session-stage.js';
import type { TestRunner } from './test-runner.js';

export type { SessionFact } from './session/session-fact.js';
export type { AgentSessionFixture, MakeSession } from './session/session-stage.js';

export interface AgentSessionConformanceOptions {
  /** Facts that do not hold for this session, each with its reason. They are reported as skipped. */
  readonly skip?: { readonly [F in SessionFact]?: string } | undefined;
  /** How long a step of the session may take in real time, in milliseconds. Default 10,000. */
  readonly patienceMs?: number | undefined;
}

/**
 * Defines the tests that every `AgentSession` must pass, no matter where it runs. Declare a fact that does not hold in `skip`.
 *
 * @param name the name of the session, for the report
 * @param make creates a session with the given options, or a session that represents it; called for each test
 * @param runner the test runner: `{ describe, it }`
 * @example
 * import { describe, it } from 'vitest';
 *
 * agentSessionConformance('createAgentSession', (options) => ({ session: createAgentSession(options) }), { describe, it });
 */
export function agentSessionConformance(
  name: string,
  make: MakeSession,
  runner: TestRunner,
  { skip = {}, patienceMs = 10_000 }: AgentSessionConformanceOptions = {},
): void {
  const makeStage = () => new SessionStage(make, patienceMs);
  proveFacts(runner, `${name} as a session`, sessionFacts, skip, makeStage);
}
