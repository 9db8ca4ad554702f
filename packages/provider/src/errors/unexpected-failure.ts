import type { AgentSessionError } from './agent-session-error.js';
import { toSessionError } from './to-session-error.js';

/** Returns the error of a turn in which a stage threw an unexpected value. */
export function unexpectedFailure(thrown: unknown): AgentSessionError {
  return toSessionError(thrown, 'provider-contract', 'The turn failed unexpectedly.');
}
