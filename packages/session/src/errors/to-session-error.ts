import {
  AgentSessionError,
  isAgentSessionError,
  type ErrorCode,
  type ErrorData,
} from './agent-session-error.js';

/** Wraps whatever was thrown; an {@link AgentSessionError} passes as it is. The original stays in `cause`. */
export function toSessionError(thrown: unknown, code: ErrorCode, message: string): AgentSessionError {
  return isAgentSessionError(thrown) ? thrown : new AgentSessionError(code, message, { cause: thrown });
}

/** An error instance again from its JSON form, as a restored session needs it. */
export function fromErrorData(data: ErrorData): AgentSessionError {
  return new AgentSessionError(data.code, data.message, { retry: data.retry, details: data.details });
}

/**
 * The words of a thrown value that may be shown to a model or a user: its message, on one line, without stack or cause,
 * cut at 500 characters.
 */
export function messageOf(thrown: unknown): string {
  let words: unknown;
  try {
    words = thrown instanceof Error ? thrown.message : thrown;
  } catch {
    // A getter or a proxy threw.
  }
  const firstLine = typeof words === 'string' ? words.split('\n', 1)[0]!.trim() : '';
  return (firstLine === '' ? 'unknown error' : firstLine).slice(0, 500);
}
