import { set } from './change.js';
import type { AllHandlers } from './handlers.js';

export const consentHandlers = {
  modeChanged: (_state, { mode }) => [set(['mode'], mode)],

  grantsChanged: (_state, { grants }) => [set(['grants'], grants)],
} satisfies Partial<AllHandlers>;
