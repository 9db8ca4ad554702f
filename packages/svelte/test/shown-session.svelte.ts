import type { AgentSession } from '../src/index.js';

/** Props of a view whose session can be changed from outside of a component. */
export function shownSession<Others extends object>(
  session: AgentSession,
  others: Others,
): Others & { session: AgentSession } {
  let shown = $state.raw(session);
  return {
    ...others,
    get session() {
      return shown;
    },
    set session(other) {
      shown = other;
    },
  };
}
