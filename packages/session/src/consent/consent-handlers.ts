import { set } from '../state/change.js';
import type { AllHandlers } from '../state/handlers.js';

export const consentHandlers = {
  modeChanged: (_state, { mode }) => [set(['mode'], mode)],

  grantsChanged: (_state, { grants }) => [set(['grants'], grants)],
} satisfies Partial<AllHandlers>;
