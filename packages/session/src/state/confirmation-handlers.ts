import type { ConfirmationOperation } from '../operations/confirmation-operations.js';
import { defined } from '../json/defined.js';
import { append, set } from './change.js';
import { workPhase } from './extension-handlers.js';
import type { Handlers } from './handlers.js';
import { isCancelling, noteRound } from './turn-notes.js';

export const confirmationHandlers: Handlers<ConfirmationOperation['type']> = {
  confirmationRequested: ({ pendingConfirmations }, { request }) => {
    // A request that was open at an interruption is opened again.
    const index = pendingConfirmations.findIndex(({ id }) => id === request.id);
    return [
      set(['phase'], 'confirming'),
      index < 0 ? append(['pendingConfirmations'], request) : set(['pendingConfirmations', index], request),
    ];
  },

  confirmationResolved: (
    state,
    { requestId, callId, decision, reason, arguments: edited, deadlines, grant },
  ) => {
    const isApproved = decision === 'approved' || decision === 'edited';
    const open = state.pendingConfirmations
      .filter((request) => request.id !== requestId)
      .map((request) => {
        const expiresAt = deadlines[request.id];
        return expiresAt === undefined ? request : { ...request, expiresAt };
      });
    return [
      set(['pendingConfirmations'], open),
      ...(grant ? [append(['grants'], grant)] : []),
      ...noteRound(state, ({ approved, refused }) =>
        isApproved
          ? { approved: { ...approved, [callId]: edited ?? null } }
          : { refused: { ...refused, [callId]: defined({ decision, reason }) } },
      ),
      // The last answer ends the decision of the batch; its calls run next.
      ...(open.length === 0 ? workPhase(state, isCancelling(state) ? 'cancelling' : 'executing') : []),
    ];
  },
};
