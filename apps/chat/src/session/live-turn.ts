import type { AgentSession } from '@handrail/session';

/** For views that draw the running turn by itself, and the list around it only when turns begin or end. Read signals. */
export function liveTurnId(session: AgentSession): string | null {
  return session.liveTurn.value?.id ?? null;
}

/** The turn that the running one repeats. */
export function liveRetryOf(session: AgentSession): string | null {
  return session.liveTurn.value?.retryOf ?? null;
}
