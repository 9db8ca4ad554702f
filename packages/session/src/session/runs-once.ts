import { AgentSessionError } from '../errors/agent-session-error.js';

/** Returns the error of a second subscription to a `turn$`. */
export function runsOnce(): AgentSessionError {
  return new AgentSessionError('already-running', 'A turn$ runs once; call turn$ again for another turn.');
}
