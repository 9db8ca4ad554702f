import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { sentence } from '@banister/provider/internal/errors/sentence';

/** Returns the error of a request that is not sent. */
export function egressRefused(middleware: string, reason: string, cause: unknown): AgentSessionError {
  return new AgentSessionError(
    'egress-refused',
    sentence(`The middleware "${middleware}" refused the request: ${reason}`),
    { details: { middleware }, cause },
  );
}
