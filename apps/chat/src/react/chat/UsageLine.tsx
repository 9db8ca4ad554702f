import { useSession, type AgentSession } from '@handrail/react';
import { usageWords } from '../../session/usage-words.js';

/** What the turn used, and what it may use. */
export function UsageLine({ session }: { readonly session: AgentSession }) {
  return <p className="usage">{useSession(session, usageWords)}</p>;
}
