import type { SessionOperation } from '../operations/session-operations.js';
import { set } from './change.js';
import type { Handlers, LazyType } from './handlers.js';

export const sessionHandlers: Handlers<Exclude<SessionOperation['type'], LazyType>> = {
  configured: () => [],

  attached: (_state, { id, mediaType, data }) => [set(['attachments', id], { mediaType, data })],

  disposed: () => [set(['isRunning'], false), set(['phase'], 'idle')],
};
