import { AgentSessionError } from '@handrail/session';

/** The error of a write with a lease that is not the current one. */
export function fenced(id: string, epoch: number): AgentSessionError {
  return new AgentSessionError(
    'storage',
    'This session continues elsewhere; nothing more is saved from here.',
    {
      details: { reason: 'fenced', id, epoch },
      retry: 'never',
    },
  );
}

/** The error of a write whose revision does not follow the last one. */
export function conflict(id: string, revision: number, last: number): AgentSessionError {
  return new AgentSessionError(
    'storage',
    `The log is at revision ${last}: revision ${revision} cannot be written now.`,
    { details: { reason: 'conflict', id, last }, retry: 'never' },
  );
}

/** The error of a claim while another owner has the lease. */
export function held(id: string, owner: string): AgentSessionError {
  return new AgentSessionError('storage', 'This session is open elsewhere.', {
    details: { reason: 'held', id, owner },
  });
}

/** The error of a reader whose cursor is outside of the records that the log has. */
export function gap(id: string, after: number): AgentSessionError {
  return new AgentSessionError(
    'storage',
    `The records after revision ${after} are not in the log. Load the session again.`,
    { details: { reason: 'gap', id, after }, retry: 'after-action' },
  );
}
