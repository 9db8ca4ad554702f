import {
  AgentSessionError,
  isAgentSessionError,
} from '@banister/provider/internal/errors/agent-session-error';

/** Returns true if the log refuses every further write with the lease: another session has claimed it, or the session was removed. */
export function isLeaseLost(error: unknown): error is AgentSessionError {
  return hasReason(error, 'fenced', 'removed');
}

/** Returns true if the log has lost the records of a session: the session was removed, or the data was cleared. */
export function isLogGone(error: unknown): error is AgentSessionError {
  return hasReason(error, 'removed', 'evicted');
}

/** Returns the error of a session that has records which its log has lost, if the log gives no reason. */
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
