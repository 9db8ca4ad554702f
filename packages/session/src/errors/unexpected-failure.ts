import type { AgentSessionError } from './agent-session-error.js';
import { toSessionError } from './to-session-error.js';

/** Returns the error of a turn that failed by a value that no stage expects. */
export function unexpectedFailure(thrown: unknown): AgentSessionError {
  return toSessionError(thrown, 'provider-contract', 'The turn failed unexpectedly.');
}
