import type { AgentSession } from './agent-session.js';

/** Adds `Symbol.asyncDispose`, for `await using session`, if the platform has it. */
export function withAsyncDispose<Session extends AgentSession>(
  session: Omit<Session, typeof Symbol.asyncDispose>,
): Session {
  if (typeof Symbol.asyncDispose === 'symbol') {
    Object.defineProperty(session, Symbol.asyncDispose, { value: session.dispose });
  }
  return session as Session;
}
