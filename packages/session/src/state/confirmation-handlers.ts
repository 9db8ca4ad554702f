import type { ConfirmationOperation } from '../operations/confirmation-operations.js';
import { append, set } from './change.js';
import type { Handlers } from './handlers.js';
import { isCancelling, noteRound } from './turn-notes.js';

export const confirmationHandlers: Handlers<ConfirmationOperation['type']> = {
  confirmationRequested: (_state, { request }) => [
    set(['phase'], 'confirming'),
    append(['pendingConfirmations'], request),
  ],

  confirmationResolved: (state, { requestId, callId, decision, arguments: edited, deadlines }) => {
    const isApproved = decision === 'approved' || decision === 'edited';
    const open = state.pendingConfirmations
      .filter((request) => request.id !== requestId)
      .map((request) => {
        const expiresAt = deadlines[request.id];
        return expiresAt === undefined ? request : { ...request, expiresAt };
      });
    return [
      set(['pendingConfirmations'], open),
      ...noteRound(state, ({ approved }) =>
        isApproved ? { approved: { ...approved, [callId]: edited ?? null } } : {},
      ),
      // The last answer ends the decision of the batch; its calls run next.
      ...(open.length === 0 ? [set(['phase'], isCancelling(state) ? 'cancelling' : 'executing')] : []),
    ];
  },
};
