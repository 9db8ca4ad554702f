import { useSession, useSignalValue, type AgentSession } from '@handrail/react';
import { statusWords } from '../session/status-words.js';

export function AgentStatus({ session }: { readonly session: AgentSession }) {
  const words = useSession(session, statusWords);
  const phase = useSignalValue(session.phase);
  return (
    <div role="status" aria-label="Agent status" className="agent-status" data-phase={phase}>
      <span className="agent-status-dot" aria-hidden="true" />
      {words}
    </div>
  );
}
