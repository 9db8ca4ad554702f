import {
  AgentSessionError,
  isAgentSessionError,
  type ErrorCode,
  type ErrorData,
} from './agent-session-error.js';

/** Returns a thrown value as an {@link AgentSessionError}: one passes as it is, any other value becomes its `cause`. */
export function toSessionError(thrown: unknown, code: ErrorCode, message: string): AgentSessionError {
  return isAgentSessionError(thrown) ? thrown : new AgentSessionError(code, message, { cause: thrown });
}

/** Returns an error instance made of its JSON form, for the errors of a restored session. */
export function fromErrorData(data: ErrorData): AgentSessionError {
  return new AgentSessionError(data.code, data.message, { retry: data.retry, details: data.details });
}

/**
 * Returns the part of a thrown value that may be shown to a model or a user: the first line of its message, without stack or
 * cause, cut at 500 characters. Never throws.
 */
export function messageOf(thrown: unknown): string {
  return wholeMessageOf(thrown).split('\n', 1)[0]!.trim().slice(0, 500) || 'unknown error';
}

/** Returns the message of a thrown value with all its lines, without stack or cause; '' where it has none. Never throws. */
export function wholeMessageOf(thrown: unknown): string {
  try {
    const words: unknown = thrown instanceof Error ? thrown.message : thrown;
    return typeof words === 'string' ? words : '';
  } catch {
    // A getter or a proxy threw.
    return '';
  }
}
