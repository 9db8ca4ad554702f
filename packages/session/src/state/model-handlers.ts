import { defined } from '@banister/provider/internal/json/defined';
import { addUsage } from '@banister/provider/internal/messages/usage-report';
import { pressureOf } from '../conversation/context-tokens.js';
import type { OperationOf } from '../operations/operation.js';
import { stopReasonOf } from '../operations/stop-reason.js';
import type { TurnEnding } from '../operations/turn-operations.js';
import { set, type Change } from './change.js';
import { workPhase } from '../extension/extension-handlers.js';
import { asksOutput } from './asks-output.js';
import type { AllHandlers } from './handlers.js';
import { afterRequest } from './revision-notes.js';
import { openParts } from './round-handlers.js';
import { retryEnded } from './pending-retry.js';
import type { FoldState } from './session-state.js';
import { noteRound, noteTurn, type TurnNotes } from './turn-notes.js';
import { withParts } from './with-parts.js';

export const modelHandlers = {
  // In a log of an older release, the revisions are missing.
  modelCallStarted: (state, { attempt, revisions = {} }) => [
    set(['phase'], 'streaming'),
    ...retryEnded(state),
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
        ...(isWhole && endOf(state, endingOf(state, operation, ending))),
      })),
      ...sizeAfter(state, operation),
    ];
  },

  retrying: (state, { attempt, maxAttempts: of, delayMs, at, code, without }) => [
    ...workPhase(state, 'retrying'),
    set(['pendingRetry'], { attempt, of, at: at + delayMs, code }),
    ...withoutAnswer(state),
    ...(without === 'reasoning' ? unreadable(state) : []),
  ],

  providerSwitched: (state, { from, to, member: place, code, reason }) => {
    const { rounds = [], switches = [] } = state.liveTurn ?? {};
    return [
      ...workPhase(state, 'retrying'),
      ...noteTurn(state, () => ({ member: { place, identity: to } })),
      set(['liveTurn', 'switches'], [...switches, { round: rounds.length, from, to, code, reason }]),
    ];
  },
} satisfies Partial<AllHandlers>;

/**
 * Returns the changes of the size of the conversation; no change for an attempt that failed before it was measured. If an answer has no
 * measure, the window of its model is unknown, and the earlier size is not valid any more.
 */
function sizeAfter(
  { conversation }: FoldState,
  { contextTokens, contextWindow, error }: OperationOf<'modelCallFinished'>,
): readonly Change[] {
  if (contextTokens === undefined && error !== null) return [];
  const window = contextWindow ?? null;
  const tokens = contextTokens ?? 0;
  const after = contextTokens === undefined ? null : (conversation.messages.at(-1)?.id ?? null);
  return [
    set(['contextPressure'], pressureOf(tokens, window)),
    set(['fold', 'context'], { window, tokens, after }),
  ];
}

/** Notes the last message whose encrypted reasoning is left out. */
function unreadable(state: FoldState): readonly Change[] {
  const upTo = state.conversation.messages.at(-1)?.id;
  const round = state.liveTurn?.rounds.length ?? 0;
  return upTo === undefined ? [] : noteTurn(state, () => ({ unreadable: { round, upTo } }));
}

/**
 * Returns how a complete answer ends the turn: it stops the turn, it is the final answer, or it requests calls and the turn goes on (null).
 */
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

/** Returns the notes about an answer that ends the turn. If an output is to be asked for after it, the turn goes on. */
function endOf(state: FoldState, ending: TurnEnding | null): Partial<TurnNotes> {
  const goesOn =
    ending?.kind === 'completed' && state.liveTurn?.structured !== undefined && !asksOutput(state);
  return goesOn ? { worked: state.liveTurn.rounds.length } : { ending };
}

/**
 * Returns the changes that remove the pieces of an interrupted answer, because the round is requested again. Most such answers have no
 * pieces.
 */
function withoutAnswer(state: FoldState): readonly Change[] {
  return [
    ...withParts(state, []),
    set(['fold', 'parsers'], []),
    ...(state.fold.turn?.round?.output === undefined
      ? []
      : [set(['partialOutput'], null), ...noteRound(state, () => ({ output: '' }))]),
    ...noteTurn(state, () => ({ finishedUsage: state.lastUsageReport })),
    ...noteRound(state, () => ({ opensMessage: [], answered: false })),
  ];
}
