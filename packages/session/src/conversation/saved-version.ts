import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';

/** The version of a saved conversation that this release writes and opens. */
export const SAVED_VERSION = 3;

/** Throws `unsupported` for the version of a newer release. */
export function assertReadable(version: unknown): void {
  if (Number.isInteger(version) && (version as number) > SAVED_VERSION)
    throw new AgentSessionError('unsupported', 'A newer release saved this conversation.', {
      details: { version: version as number, supported: SAVED_VERSION },
    });
}
