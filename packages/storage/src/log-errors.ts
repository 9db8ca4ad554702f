import { AgentSessionError, type JsonObject, type RetryHint } from '@banister/session';
import { messageOf } from '@banister/provider';

/** The error of a write with an outdated lease. */
export function fenced(id: string, epoch: number): AgentSessionError {
  return storageError(
    'This session continues elsewhere; nothing more is saved from here.',
    { reason: 'fenced', id, epoch },
    'never',
  );
}

/** The error of a write whose revision does not follow the last revision. */
export function conflict(id: string, revision: number, last: number): AgentSessionError {
  return storageError(
    `The log is at revision ${last}: revision ${revision} cannot be written now.`,
    { reason: 'conflict', id, last },
    'never',
  );
}

/** The error of a claim while another owner has the lease. */
export function held(id: string, owner: string, epoch: number): AgentSessionError {
  return storageError('This session is open elsewhere.', { reason: 'held', id, owner, epoch });
}

/** The error of a reader whose cursor is outside the records of the log. */
export function gap(id: string, after: number): AgentSessionError {
  return storageError(`The records after revision ${after} are not in the log. Load the session again.`, {
    reason: 'gap',
    id,
    after,
  });
}

/** The error of a writer or a reader whose session was removed. */
export function removedSince(id: string): AgentSessionError {
  return storageError(
    'This conversation was removed. It is shown here as it was, and cannot be changed. Export it to keep it.',
    { reason: 'removed', id },
    'never',
  );
}

/** The error of a writer whose log is gone: the user cleared it, or the browser needed space. */
export function evicted(id: string): AgentSessionError {
  return storageError(
    'The stored conversation is gone: its data was cleared. It goes on here, and is not saved. Reload the page to begin a new one.',
    { reason: 'evicted', id },
  );
}

/** The error of a reader that finds a damaged row. */
export function damaged(id: string, place: string, cause: unknown): AgentSessionError {
  return storageError(
    `The log of this conversation is damaged: ${place} cannot be read (${messageOf(cause)}). The conversation is shown up to there, and cannot be changed.`,
    { reason: 'damaged', id },
    'never',
    cause,
  );
}

/** Returns an error with the code `storage`. @param retry default: `after-action` */
export function storageError(
  message: string,
  details: JsonObject,
  retry?: RetryHint,
  cause?: unknown,
): AgentSessionError {
  return new AgentSessionError('storage', message, { details, retry, cause });
}
