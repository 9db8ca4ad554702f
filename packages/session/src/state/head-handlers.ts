import { set } from './change.js';
import type { AllHandlers } from './handlers.js';
import { queuePaused } from './queue-notes.js';
import { clearPath, moveHead } from './tree.js';

/** Handlers of the moves of the head. */
export const headHandlers = {
  // A branch command that took effects back runs until here.
  headMoved: (state, { to }) => [
    set(['isRunning'], false),
    set(['phase'], 'idle'),
    ...moveHead(state, to),
    ...queuePaused(state),
  ],

  pathCleared: (state, { id }) => [...clearPath(state, id), ...queuePaused(state)],

  // Version 0.1 wrote it where a retry moves the head today: the messages are those of the last turn.
  conversationReplaced: (state, { removed }) => {
    const last = state.turns.at(-1);
    if (last === undefined || !removed.some((id) => last.messageIds.includes(id))) return [];
    return moveHead(state, last.parentId);
  },
} satisfies Partial<AllHandlers>;
