import { AgentSessionError, type ErrorOptions } from '../errors/agent-session-error.js';
import type { StopReason } from '../conversation/turn-record.js';

/** Returns the error of a turn whose answer is no output that fits. `reason` is in its details. */
export function invalidOutput(
  reason: 'schema' | 'tool-call' | 'check-failed' | StopReason['kind'],
  message: string,
  { details, ...options }: ErrorOptions = {},
): AgentSessionError {
  return new AgentSessionError('structured-output-invalid', message, {
    ...options,
    details: { reason, ...details },
  });
}
