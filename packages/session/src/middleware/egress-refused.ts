import { sentence } from '../errors/sentence.js';
import { AgentSessionError } from '../errors/agent-session-error.js';

/** Returns the error of a request that is not sent. */
export function egressRefused(middleware: string, reason: string, cause: unknown): AgentSessionError {
  return new AgentSessionError(
    'egress-refused',
    sentence(`The middleware "${middleware}" refused the request: ${reason}`),
    { details: { middleware }, cause },
  );
}
