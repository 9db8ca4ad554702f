import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';

/** Returns the error of a second subscription to a `turn$`. */
export function runsOnce(): AgentSessionError {
  return new AgentSessionError('already-running', 'A turn$ runs once; call turn$ again for another turn.');
}
