import { useSession, type AgentSession } from '@handrail/react';
import { usageWords } from '../../session/usage-words.js';

/** The usage of the turn and its limits. */
export function UsageLine({ session }: { readonly session: AgentSession }) {
  return <p className="usage">{useSession(session, usageWords)}</p>;
}
