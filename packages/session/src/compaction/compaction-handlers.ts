import { defined } from '@banister/provider/internal/json/defined';
import { addUsage, totalsOf } from '@banister/provider/internal/messages/usage-report';
import type { Compaction, CompactionData, KeptCompaction } from '../conversation/compaction.js';
import { contextTokens, messagesTokens, pressureOf } from '../conversation/context-tokens.js';
import { COMPACTED, isCompactionMark, type CompactionMark } from '../conversation/turn-tree.js';
import type { ContextCompacted } from './compaction-operations.js';
import { set, type Change } from '../state/change.js';
import { workPhase } from '../extension/extension-handlers.js';
import type { AllHandlers } from '../state/handlers.js';
import type { ContextNote } from '../state/context-note.js';
import type { FoldState } from '../state/session-state.js';
import { findTurn } from '../state/tree.js';
import { isCancelling, noteTurn } from '../state/turn-notes.js';

/** Handlers of the marks of compactions. The conversation itself never changes. */
export const compactionHandlers = {
  contextCompacted: (state, operation) => {
    const isKnown = state.compactions.some(({ id }) => id === operation.id);
    const compaction = madeOf(state, operation, operation.turnId);
    const compactions = isKnown
      ? state.compactions.map((one) => (one.id === compaction.id ? compaction : one))
      : [...state.compactions, compaction];
    const { window } = state.fold.context;
    const { tokens, last } = operation;
    return [
      ...(operation.turnId === undefined
        ? betweenTurns(state, operation, compaction, isKnown)
        : insideTurn(state, operation, compaction)),
      set(['compactions'], compactions),
      set(['contextPressure'], pressureOf(tokens.after, window)),
      set(['fold', 'context'], { window, tokens: tokens.after, after: last }),
    ];
  },

  contextUncompacted: (state, { id }) => {
    const compaction = state.compactions.find((one) => one.id === id);
    if (compaction === undefined) return [];
    const compactions = state.compactions.filter((one) => one !== compaction);
    const { window } = state.fold.context;
    const { tokens, after } = sizeWithout(state, compaction, compactions);
    return [
      ...takenBack(state, compaction),
      set(['compactions'], compactions),
      set(['contextPressure'], pressureOf(tokens, window)),
      set(['fold', 'context'], { window, tokens, after }),
    ];
  },
} satisfies Partial<AllHandlers>;

/**
 * Returns the size of the conversation after a mark was taken back. If no later mark covers it, this is the size before the mark, including
 * the role and the tools.
 */
function sizeWithout(
  { conversation: { messages }, compactions: before, fold: { context } }: FoldState,
  mark: Compaction,
  compactions: readonly Compaction[],
): Pick<ContextNote, 'tokens' | 'after'> {
  const estimated = contextTokens(messages, compactions);
  if (before.at(-1) !== mark) return { tokens: estimated, after: null };
  const { tokens, last } = mark;
  if (context.after !== null)
    return {
      tokens: Math.max(estimated, context.tokens + tokens.before - tokens.after),
      after: context.after,
    };
  const since = messages.slice(messages.findLastIndex(({ id }) => id === last) + 1);
  return {
    tokens: Math.max(estimated, tokens.before + messagesTokens(since)),
    after: messages.at(-1)?.id ?? null,
  };
}

function madeOf(state: FoldState, operation: ContextCompacted, turnId: string | undefined): Compaction {
  const { id, upTo, kept, stripped, summary, failure, tokens, last, usage } = operation;
  const data: CompactionData = defined({ upTo, kept, stripped, summary, failure, tokens, last, usage });
  return turnId === undefined
    ? { id, turnId: state.turns.at(-1)?.id ?? null, ...data }
    : { id, turnId, round: state.liveTurn?.rounds.length ?? 1, ...data };
}

/** Returns the changes of a mark inside the running turn: the record of the turn keeps it. */
function insideTurn(
  state: FoldState,
  { summarizing }: ContextCompacted,
  compaction: Compaction,
): readonly Change[] {
  const kept = (state.liveTurn?.compactions ?? []).filter(({ id }) => id !== compaction.id);
  const phase = isCancelling(state) ? 'cancelling' : 'preparing';
  return [
    ...workPhase(state, summarizing ? 'compacting' : phase),
    set(['liveTurn', 'compactions'], [...kept, compaction]),
    // The summary is not an attempt of a round: its usage counts as usage of the turn until now.
    ...noteTurn(state, () => ({ finishedUsage: state.lastUsageReport })),
  ];
}

/** Returns the changes of a mark between two turns: it becomes the head. */
function betweenTurns(
  state: FoldState,
  { summarizing, usage }: ContextCompacted,
  compaction: Compaction,
  isKnown: boolean,
): readonly Change[] {
  const { fold, headTurnId } = state;
  const { marks } = fold;
  const spent = usage === undefined ? fold.spent : addUsage(fold.spent, usage);
  const isRunning = summarizing === true;
  const mark: CompactionMark = { ...compaction, parentId: headTurnId, kind: COMPACTED };
  return [
    set(['isRunning'], isRunning),
    set(['phase'], isRunning ? 'compacting' : 'idle'),
    set(['headTurnId'], compaction.id),
    set(
      ['fold', 'marks'],
      isKnown
        ? marks.map((one) => (one.id === mark.id ? { ...mark, parentId: one.parentId } : one))
        : [...marks, mark],
    ),
    ...(spent === fold.spent ? [] : [set(['fold', 'spent'], spent), set(['totals'], totalsOf(spent))]),
  ];
}

/** Returns the changes of the place that keeps a mark: the record of its turn, or the tree. */
function takenBack(state: FoldState, { id, turnId, round }: Compaction): readonly Change[] {
  const marked = <T extends KeptCompaction>(one: T): T => (one.id === id ? { ...one, takenBack: true } : one);
  if (round === undefined) {
    const marks = state.fold.marks.map((mark) => (isCompactionMark(mark) ? marked(mark) : mark));
    return [set(['fold', 'marks'], marks)];
  }
  const found = turnId === null ? undefined : findTurn(state, turnId);
  if (found === undefined) return [];
  return [set([...found.path, 'compactions'], (found.turn.compactions ?? []).map(marked))];
}
