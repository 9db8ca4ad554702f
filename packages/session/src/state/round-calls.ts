import { defined } from '@banister/provider/internal/json/defined';
import { parseArguments } from '../conversation/parse-arguments.js';
import { callsOf, type ToolCallView } from '../conversation/turn-record.js';
import type { RequestedCall } from '../operations/tool-operations.js';
import type { FoldState } from './session-state.js';

/** Returns the calls that the open round requests: no calls until its answer is complete, then all calls that were not made inside it. */
export function batchOf(state: FoldState): readonly ToolCallView[] {
  const round = state.fold.turn?.round ?? null;
  if (round === null || round.finish === null) return [];
  return callsOf(state.liveTurn?.rounds.at(-1)).filter(({ id }) => !round.innerCalls.includes(id));
}

/** Returns the requested calls of the open round, including calls that the model made inside its answer. */
export function requestedIn(state: FoldState): readonly ToolCallView[] {
  const round = state.fold.turn?.round ?? null;
  if (round === null) return [];
  const calls = callsOf(state.liveTurn?.rounds.at(-1));
  return round.finish === null ? calls.filter(({ id }) => round.innerCalls.includes(id)) : calls;
}

/** Returns the open questions about the calls of the open round of the live turn. */
export function ownQuestions({
  pendingConfirmations,
  liveTurn,
}: Pick<FoldState, 'pendingConfirmations' | 'liveTurn'>): FoldState['pendingConfirmations'] {
  const calls = callsOf(liveTurn?.rounds.at(-1));
  return pendingConfirmations.filter(({ call }) => calls.some(({ id }) => id === call.id));
}

/** Returns a call as the model requested it. */
export function requestedCall({
  id,
  providerCallId,
  tool,
  hosted,
  argumentsText,
}: ToolCallView): RequestedCall {
  const parsed = parseArguments(argumentsText);
  return defined({
    callId: id,
    providerCallId,
    tool,
    hosted,
    argumentsText,
    arguments: parsed.ok ? parsed.value : null,
  });
}
