import { proveFacts } from './prove-facts.js';
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
  runner: TestRunner,
  { skip = {}, patienceMs = 10_000 }: AgentSessionConformanceOptions = {},
): void {
  const makeStage = () => new SessionStage(make, patienceMs);
  proveFacts(runner, `${name} as a session`, sessionFacts, skip, makeStage);
}
