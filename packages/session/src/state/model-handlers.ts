import { addUsage } from '../conversation/usage-report.js';
import { defined } from '../json/defined.js';
import type { ModelOperation } from '../operations/model-operations.js';
import type { OperationOf } from '../operations/operation.js';
import { stopReasonOf } from '../operations/stop-reason.js';
import type { TurnEnding } from '../operations/turn-operations.js';
import { set, type Change } from './change.js';
import type { Handlers } from './handlers.js';
import { afterRequest } from './revision-notes.js';
import { openParts, openPartsPath } from './round-handlers.js';
import type { FoldState } from './session-state.js';
import { noteRound, noteTurn } from './turn-notes.js';

export const modelHandlers: Handlers<ModelOperation['type']> = {
  // A log of an older release has no revisions.
  modelCallStarted: (state, { attempt, revisions = {} }) => [
    set(['phase'], 'streaming'),
    ...noteRound(state, () => ({ attempt, finish: null })),
    ...noteTurn(state, (notes) => ({ revisions: afterRequest(notes.revisions, revisions) })),
  ],

  modelCallFinished: (state, operation) => {
    const { budget, usage, error, stopReason, rawStopReason: raw, stopDetail: detail } = operation;
    const isWhole = error === null && stopReason !== null;
    return [
      set(['budget'], budget),
      ...noteRound(state, (round) => ({
        usage: addUsage(round.usage, usage),
        finish: isWhole ? defined({ reason: stopReason, raw, detail }) : null,
      })),
      ...noteTurn(state, ({ lastInputTokens, ending }) => ({
        finishedUsage: state.lastUsageReport,
        lastInputTokens: usage?.inputTokens ?? lastInputTokens,
        ending: isWhole ? endingOf(state, operation, ending) : ending,
      })),
    ];
  },

  retrying: (state, { reason }) => [
    set(['phase'], 'retrying'),
    ...(reason === 'restored' ? withoutAnswer(state) : []),
  ],
};

/** Returns the ending that a whole answer decides: it stops the turn, or is the final one, or requests calls. */
function endingOf(
  state: FoldState,
  { stopReason, stopDetail }: OperationOf<'modelCallFinished'>,
  before: TurnEnding | null,
): TurnEnding | null {
  const stop = stopReasonOf(stopReason, stopDetail);
  if (stop !== null) return { kind: 'stopped', stop };
  const inner = state.fold.turn?.round?.innerCalls ?? [];
  const requestsCalls = openParts(state).some(
    (part) => part.type === 'tool-call' && !inner.includes(part.id),
  );
  return before ?? (requestsCalls ? null : { kind: 'completed' });
}

/** The changes with which the answer of an interrupted session is removed, since the round is asked again. */
function withoutAnswer(state: FoldState): readonly Change[] {
  const round = state.fold.turn?.round ?? null;
  if (round === null) return [];
  return [
    set(openPartsPath(state), []),
    set(['currentText'], state.currentText.slice(0, round.textStart)),
    set(['currentThinking'], state.currentThinking.slice(0, round.thinkingStart)),
    set(['fold', 'parsers'], []),
    ...noteTurn(state, () => ({ finishedUsage: state.lastUsageReport })),
    ...noteRound(state, () => ({ opensMessage: [], answered: false })),
  ];
}
