import { AgentSessionError } from './agent-session-error.js';

/** Returns the error of a command of a session that is disposed. */
export function disposedError(): AgentSessionError {
  return new AgentSessionError('disposed', 'The session is disposed.');
}
