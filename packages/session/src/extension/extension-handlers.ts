import type { Budget } from '../operations/budget.js';
import type { ExtendableLimit } from './extension-operations.js';
import { set, type Change } from '../state/change.js';
import type { AllHandlers } from '../state/handlers.js';
import type { FoldState } from '../state/session-state.js';
import { isCancelling, noteTurn } from '../state/turn-notes.js';

/** The fields of the budget that an extension changes. */
const lines: { readonly [Limit in ExtendableLimit]?: keyof Budget } = {
  maxRounds: 'rounds',
  maxToolCalls: 'toolCalls',
  timeoutMs: 'timeMs',
  maxTokens: 'tokens',
  maxCost: 'cost',
};

/** Handlers of extension requests, which ask for more of a limit. */
export const extensionHandlers = {
  extensionRequested: (state, { request, budget }) => [
    // A request that was open at an interruption is opened again.
    ...noteTurn(state, ({ phaseBefore = state.phase }) => ({
      phaseBefore: state.phase === 'confirming' && state.pendingExtension ? phaseBefore : state.phase,
    })),
    set(['phase'], 'confirming'),
    set(['pendingExtension'], request),
    set(['budget'], budget),
  ],

  extensionResolved: (state, operation) => [
    set(['pendingExtension'], null),
    set(['phase'], phaseAfter(state)),
    ...(operation.decision === 'extended' ? extended(state, operation.limit, operation.allowed) : []),
  ],
} satisfies Partial<AllHandlers>;

/** Returns the phase to which the turn returns. The turn may have changed it during the request. */
function phaseAfter(state: FoldState): FoldState['phase'] {
  if (isCancelling(state)) return 'cancelling';
  return state.pendingConfirmations.length > 0 ? 'confirming' : (state.fold.turn?.phaseBefore ?? state.phase);
}

function extended(state: FoldState, limit: ExtendableLimit, allowed: number): readonly Change[] {
  const line = lines[limit];
  return [
    ...noteTurn(state, ({ allowed: before }) => ({ allowed: { ...before, [limit]: allowed } })),
    ...(line === undefined
      ? []
      : [set(['budget', line, 'left'], Math.max(0, allowed - state.budget[line].spent))]),
  ];
}

/** Returns the change of the phase in a turn. During an extension request, the phase is noted as the phase to return to. */
export function workPhase(state: FoldState, phase: FoldState['phase']): readonly Change[] {
  if (!state.pendingExtension) return [set(['phase'], phase)];
  return noteTurn(state, () => ({ phaseBefore: phase }));
}
