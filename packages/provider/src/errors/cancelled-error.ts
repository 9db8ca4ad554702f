import { AgentSessionError } from './agent-session-error.js';

/** Returns the error of a turn that was cancelled. */
export function cancelledError(): AgentSessionError {
  return new AgentSessionError('cancelled', 'The turn was cancelled.');
}
