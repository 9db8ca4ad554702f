import {
  AgentSessionError,
  isAgentSessionError,
  type ErrorCode,
  type ErrorData,
} from './agent-session-error.js';

/**
 * Returns a thrown value as an {@link AgentSessionError}. Such an error is returned as it is; any other value becomes the `cause` of a new
 * error.
 */
export function toSessionError(thrown: unknown, code: ErrorCode, message: string): AgentSessionError {
  return isAgentSessionError(thrown) ? thrown : new AgentSessionError(code, message, { cause: thrown });
}

/** Creates an error instance from its JSON form, for the errors of a restored session. */
export function fromErrorData(data: ErrorData): AgentSessionError {
  return new AgentSessionError(data.code, data.message, { retry: data.retry, details: data.details });
}

/**
 * Returns the part of a thrown value that a model or a user may read: the first line of its message, without stack or cause, shortened to
 * 500 characters. Never throws.
 */
export function messageOf(thrown: unknown): string {
  return wholeMessageOf(thrown).split('\n', 1)[0]!.trim().slice(0, 500) || 'unknown error';
}

/** Returns the whole message of a thrown value, without stack or cause; '' if it has none. Never throws. */
export function wholeMessageOf(thrown: unknown): string {
  try {
    const words: unknown = thrown instanceof Error ? thrown.message : thrown;
    return typeof words === 'string' ? words : '';
  } catch {
    // A getter or a proxy has thrown.
    return '';
  }
}
