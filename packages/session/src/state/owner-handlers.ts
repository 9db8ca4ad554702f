import { defined } from '@banister/provider/internal/json/defined';
import type { TurnResumed } from '../operations/turn-operations.js';
import { set, type Change } from './change.js';
import { placed } from './child-handlers.js';
import { childState } from './child-state.js';
import type { AllHandlers } from './handlers.js';
import { interruptionOf, pointKeyOf } from './interruption.js';
import { openParts, partPath } from './round-handlers.js';
import { retryEnded } from './pending-retry.js';
import { queueOfOwner } from '../queue/queue-handlers.js';
import { queuePaused } from '../queue/queue-notes.js';
import type { FoldState, Phase } from './session-state.js';
import { ownerChanges } from './restored-undo.js';
import { reviewOfOwner } from '../review/review-handlers.js';
import { isCancelling, noteTurn } from './turn-notes.js';
import { undoClosed } from './undo-entries.js';

/** Handlers of a change of the owner, and of interrupted work that goes on. */
export const ownerHandlers = {
  ownerChanged: (state, { revertible }) => {
    const undo = [...ownerChanges(state, revertible), ...queueOfOwner(state)];
    const interrupted = interruptionOf(state);
    const error = state.interrupted?.error;
    // Between two steps of a branch command the session is running, but has no work that the new owner could end.
    const idle = [set(['isRunning'], false), set(['phase'], 'idle'), ...retryEnded(state)];
    if (interrupted === null) return [...undo, ...idle];
    return [
      ...undo,
      ...undoClosed,
      ...idle,
      set(['interrupted'], defined({ ...interrupted, error })),
      ...reviewOfOwner(state, revertible),
      ...deadlinesStopped(state),
      ...interruptedCalls(state),
      ...Object.entries(state.fold.turn?.children ?? {}).flatMap(([id, notes]) =>
        placed(state, notes, interruptedCalls(childState(state, id))),
      ),
    ];
  },

  turnPutDown: (state, { error }) => [
    ...undoClosed,
    set(['isRunning'], false),
    set(['phase'], 'idle'),
    ...retryEnded(state),
    ...queuePaused(state),
    ...deadlinesStopped(state),
    set(['interrupted'], { ...interruptionOf(state)!, error }),
  ],

  turnResumed: (state, { by }) => [
    ...noteTurn(state, () => ({ resumedAt: pointKeyOf(state) })),
    set(['interrupted'], null),
    set(['isRunning'], true),
    set(['phase'], resumedPhase(state, by)),
  ],
} satisfies Partial<AllHandlers>;

/** Returns the changes that stop the deadlines of the open questions. The deadlines start again when the user is asked again. */
function deadlinesStopped({ pendingConfirmations, pendingExtension }: FoldState): readonly Change[] {
  const stopped = pendingConfirmations.map(({ attended: _ended, ...request }) => ({
    ...request,
    expiresAt: null,
  }));
  return [
    ...(stopped.length === 0 ? [] : [set(['pendingConfirmations'], stopped)]),
    ...(pendingExtension ? [set(['pendingExtension', 'expiresAt'], null)] : []),
  ];
}

/** Returns the phase of a resumed turn. A turn whose end had begun cannot be cancelled, so it is in the phase of its end. */
function resumedPhase(state: FoldState, by: TurnResumed['by']): Phase {
  const closing = state.fold.turn?.closing;
  if (closing === 'commit') return 'committing';
  if (closing === 'rollback' || by === 'abandon') return 'rolling-back';
  return isCancelling(state) ? 'cancelling' : 'preparing';
}

function interruptedCalls(state: FoldState): readonly Change[] {
  if (state.liveTurn === null) return [];
  return openParts(state).flatMap((part, position) =>
    part.type === 'tool-call' && part.state === 'executing'
      ? [set(partPath(state, position, 'state'), 'interrupted')]
      : [],
  );
}
