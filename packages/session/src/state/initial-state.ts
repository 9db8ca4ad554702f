import { noBudget } from '../operations/budget.js';
import type { FoldState, SessionState } from './session-state.js';

/**
 * Returns the state of a new session, before its first operation. It imports little code, because a page shows this state before the code
 * of sessions is loaded.
 *
 * @example
 * const state = fold(initialState(), log);
 */
export function initialState(): SessionState {
  const state: FoldState = {
    sequence: 0,
    isRunning: false,
    phase: 'idle',
    pendingRetry: null,
    currentText: '',
    currentThinking: '',
    partialOutput: null,
    turns: [],
    headTurnId: null,
    liveTurn: null,
    conversation: { messages: [] },
    compactions: [],
    activeToolCalls: [],
    pendingConfirmations: [],
    pendingExtension: null,
    pendingReview: null,
    lastUsageReport: null,
    budget: noBudget,
    totals: { usage: null, cost: null },
    contextPressure: null,
    lastSchemaWarnings: [],
    lastContextDiagnostics: [],
    lastOutcome: null,
    lastError: null,
    branches: {},
    undoEntries: [],
    canUndo: false,
    canRedo: false,
    interrupted: null,
    queue: [],
    queuePaused: false,
    mode: null,
    grants: [],
    attachments: {},
    fold: {
      turn: null,
      undoing: null,
      innerCall: false,
      parsers: [],
      aside: [],
      undo: [],
      moves: [],
      undoable: false,
      undone: false,
      redo: [],
      starting: null,
      given: {},
      marks: [],
      prefix: null,
      spent: null,
      context: { window: null, tokens: 0, after: null },
      begun: [],
      begunBefore: '',
    },
  };
  return state as Omit<FoldState, 'fold'> as SessionState;
}
