import { set } from './change.js';
import type { AllHandlers } from './handlers.js';

export const sessionHandlers = {
  configured: () => [],

  attached: (_state, { id, mediaType, data }) => [set(['attachments', id], { mediaType, data })],

  disposed: () => [set(['isRunning'], false), set(['phase'], 'idle')],
} satisfies Partial<AllHandlers>;
