import type { ConsentOperation } from '../operations/consent-operations.js';
import { set } from './change.js';
import type { Handlers } from './handlers.js';

export const consentHandlers: Handlers<ConsentOperation['type']> = {
  modeChanged: (_state, { mode }) => [set(['mode'], mode)],

  grantsChanged: (_state, { grants }) => [set(['grants'], grants)],
};
