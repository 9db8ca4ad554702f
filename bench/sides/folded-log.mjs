import { fold, initialState } from './built-session.mjs';

/** W12: a log through the public fold. */
export const createFoldedLog = () => ({ fold: (log) => fold(initialState(), log) });
