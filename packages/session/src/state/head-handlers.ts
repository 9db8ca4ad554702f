import { set } from './change.js';
import type { AllHandlers } from './handlers.js';
import { queuePaused } from '../queue/queue-notes.js';
import { clearPath, moveHead } from './tree.js';

/** Handlers of the moves of the head. */
export const headHandlers = {
  // The end of a branch command that took effects back.
  headMoved: (state, { to }) => [
    set(['isRunning'], false),
    set(['phase'], 'idle'),
    ...moveHead(state, to),
    ...queuePaused(state),
  ],

  pathCleared: (state, { id }) => [...clearPath(state, id), ...queuePaused(state)],

  // Version 0.1 wrote this operation for a retry, which moves the head today. The messages belong to the last turn.
  conversationReplaced: (state, { removed }) => {
    const last = state.turns.at(-1);
    if (last === undefined || !removed.some((id) => last.messageIds.includes(id))) return [];
    return moveHead(state, last.parentId);
  },
} satisfies Partial<AllHandlers>;
