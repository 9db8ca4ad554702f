import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';

/**
 * The version of a saved conversation without child turns. With child turns it is the next version, because an earlier release would show
 * turns whose effects it knows in part. This release opens both.
 */
export const SAVED_VERSION = 3;

/** The version of a saved conversation with child turns. */
export const CHILDREN_VERSION = SAVED_VERSION + 1;

/** Returns true for the versions that this release opens. Throws `unsupported` for the version of a newer release. */
export function isReadable(version: unknown): boolean {
  if (Number.isInteger(version) && (version as number) > CHILDREN_VERSION)
    throw new AgentSessionError('unsupported', 'A newer release saved this conversation.', {
      details: { version: version as number, supported: CHILDREN_VERSION },
    });
  return version === SAVED_VERSION || version === CHILDREN_VERSION;
}
