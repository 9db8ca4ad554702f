import { AgentSessionError, isAgentSessionError } from '../errors/agent-session-error.js';

/** Whether a log refuses every write of a lease for ever: another session has claimed it, or the session was removed. */
export function isLeaseLost(error: unknown): error is AgentSessionError {
  return hasReason(error, 'fenced', 'removed');
}

/** Whether the records of a session are not in its log any more: it was removed, or the data was cleared. */
export function isLogGone(error: unknown): error is AgentSessionError {
  return hasReason(error, 'removed', 'evicted');
}

/** The error of a session whose log lacks records that it has, where the log gives no reason. */
export function evicted(id: string): AgentSessionError {
  return new AgentSessionError(
    'storage',
    'The stored conversation is gone: it was removed, or its data was cleared. It is shown here as it was, and cannot be changed. Copy what matters: a reload begins anew.',
    { details: { reason: 'evicted', id }, retry: 'after-action' },
  );
}

function hasReason(error: unknown, ...reasons: readonly string[]): error is AgentSessionError {
  return (
    isAgentSessionError(error) &&
    error.code === 'storage' &&
    reasons.includes(error.details['reason'] as string)
  );
}
