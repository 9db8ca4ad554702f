import type { Handlers, HeadType } from './handlers.js';
import { queuePaused } from './queue-notes.js';
import { moveHead, stayingAfter } from './tree.js';

/** Handlers of the moves of the head. */
export const headHandlers: Handlers<HeadType> = {
  headMoved: (state, { to, stays }) => [...moveHead(state, to, stays), ...queuePaused(state)],

  // Version 0.1 wrote it where a retry moves the head today: the messages are those of the last turn.
  conversationReplaced: (state, { removed }) => {
    const last = state.turns.at(-1);
    if (last === undefined || !removed.some((id) => last.messageIds.includes(id))) return [];
    return moveHead(state, last.parentId, stayingAfter([last], state));
  },
};
