import { defined } from '@banister/provider/internal/json/defined';
import type { ConfirmationRequest, ConfirmationResolved } from './confirmation-operations.js';
import { guardQuestionOf } from '../operations/guard-question.js';
import { append, set, type Change } from '../state/change.js';
import { workPhase } from '../extension/extension-handlers.js';
import type { AllHandlers } from '../state/handlers.js';
import type { FoldState } from '../state/session-state.js';
import { isCancelling, noteRound, type RoundNotes } from '../state/turn-notes.js';

export const confirmationHandlers = {
  confirmationRequested: (state, { request }) => {
    const { pendingConfirmations } = state;
    // A request that was open at an interruption is opened again.
    const index = pendingConfirmations.findIndex(({ id }) => id === request.id);
    return [
      set(['phase'], 'confirming'),
      index < 0 ? append(['pendingConfirmations'], request) : set(['pendingConfirmations', index], request),
      ...askedAgain(state, request),
    ];
  },

  previewRenewed: (state, { requestId, preview, digest }) =>
    changeRequest(state, requestId, (request) => ({ ...request, preview, digest, changed: true })),

  confirmationAttended: (state, { requestId, attended, expiresAt }) =>
    changeRequest(state, requestId, ({ attended: _before, ...request }) => ({
      ...request,
      expiresAt,
      ...(attended ? { attended } : {}),
    })),

  confirmationResolved: (state, operation) => {
    const { requestId, callId, decision, reason, arguments: edited, deadlines, grant } = operation;
    const isApproved = decision === 'approved' || decision === 'edited';
    const open = withDeadlines(state.pendingConfirmations, deadlines).filter(({ id }) => id !== requestId);
    return [
      set(['pendingConfirmations'], open),
      ...(grant ? [append(['grants'], grant)] : []),
      ...noteRound(state, ({ approved, refused, previewed }) =>
        isApproved
          ? {
              // If the call was asked about before, the arguments that were edited then stay.
              approved: { ...approved, [callId]: edited ?? approved[callId] ?? null },
              ...previewedNote(state, operation, previewed),
            }
          : { refused: { ...refused, [callId]: defined({ decision, reason }) } },
      ),
      // The last answer ends the decision about the batch. The calls of the batch run next.
      ...(open.length === 0 ? workPhase(state, isCancelling(state) ? 'cancelling' : 'executing') : []),
    ];
  },
} satisfies Partial<AllHandlers>;

/** Returns open requests with their new deadlines. */
export function withDeadlines(
  open: readonly ConfirmationRequest[],
  deadlines: ConfirmationResolved['deadlines'],
): readonly ConfirmationRequest[] {
  return open.map((request) => {
    const expiresAt = deadlines[request.id];
    return expiresAt === undefined ? request : { ...request, expiresAt };
  });
}

function changeRequest(
  { pendingConfirmations }: FoldState,
  requestId: string,
  changed: (request: ConfirmationRequest) => ConfirmationRequest,
): readonly Change[] {
  const index = pendingConfirmations.findIndex(({ id }) => id === requestId);
  return index < 0 ? [] : [set(['pendingConfirmations', index], changed(pendingConfirmations[index]!))];
}

/** Notes that the user is asked again about a call that was approved with a preview. */
function askedAgain(state: FoldState, { call: { id } }: ConfirmationRequest): readonly Change[] {
  return noteRound(state, ({ previewed }) => {
    const note = previewed?.[id];
    return note === undefined ? {} : { previewed: { ...previewed, [id]: { ...note, isAgain: true } } };
  });
}

/** Returns the note of the preview that was approved; no note if the request had no preview. */
function previewedNote(
  { pendingConfirmations }: FoldState,
  { requestId, callId, arguments: edited, preview }: ConfirmationResolved,
  previewed: RoundNotes['previewed'],
): Partial<RoundNotes> {
  const request = pendingConfirmations.find(({ id }) => id === requestId);
  if (request?.preview === undefined) return {};
  const note = {
    question: guardQuestionOf(request),
    preview: preview ?? (edited === undefined ? request.preview : null),
    isAgain: previewed?.[callId]?.isAgain ?? false,
  };
  return { previewed: { ...previewed, [callId]: note } };
}
