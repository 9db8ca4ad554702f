import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';

/** Returns the error of a command that cannot begin before interrupted work has ended. */
export function interruptedFirst(): AgentSessionError {
  return new AgentSessionError('conflict', 'An interrupted turn has to be ended first.', {
    details: { reason: 'interrupted' },
  });
}
