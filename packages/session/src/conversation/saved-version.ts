import { AgentSessionError } from '../errors/agent-session-error.js';

/**
 * The newest version that this release writes and opens. A conversation without attachments is written as version 2, so that releases
 * without attachments can open it.
 */
export const SAVED_VERSION = 3;

/** The version of a conversation without attachments. */
export const VERSION_WITHOUT_ATTACHMENTS = 2;

export function isVersion(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0;
}

/** Throws `unsupported` for a version of a newer release. */
export function assertReadable(version: number): void {
  if (version > SAVED_VERSION)
    throw new AgentSessionError('unsupported', 'A newer release saved this conversation.', {
      details: { version, supported: SAVED_VERSION },
    });
}
