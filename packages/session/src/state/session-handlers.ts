import type { SessionOperation } from '../operations/session-operations.js';
import { set } from './change.js';
import type { Handlers, UndoType } from './handlers.js';

export const sessionHandlers: Handlers<Exclude<SessionOperation['type'], UndoType>> = {
  configured: () => [],

  conversationReplaced: (state, { removed }) => {
    const ids = new Set(removed);
    return [
      set(
        ['conversation', 'messages'],
        state.conversation.messages.filter((message) => !ids.has(message.id)),
      ),
    ];
  },

  disposed: () => [set(['isRunning'], false), set(['phase'], 'idle')],
};
