import type { OperationType } from '../operations/operation.js';
import type { EffectType, Handlers, LazyType, SettingAside } from './handlers.js';
import { sessionHandlers } from './session-handlers.js';
import { turnHandlers } from './turn-handlers.js';
import { noteTurn } from './turn-notes.js';

/** A turn that ends before `turn/` is loaded has no effects. The handlers that are loaded with it replace these. */
const withoutEffects: Handlers<EffectType> = {
  committed: (state) => noteTurn(state, () => ({ committed: true })),
  rolledBack: (state, { report }) => noteTurn(state, () => ({ report })),
};

/**
 * Handlers of the operations that can occur before `turn/` is loaded: those of the session, of the start and of the end of a
 * turn.
 */
export const initialHandlers: Handlers<Exclude<OperationType, LazyType> | EffectType | SettingAside> = {
  ...sessionHandlers,
  ...turnHandlers,
  ...withoutEffects,
};
