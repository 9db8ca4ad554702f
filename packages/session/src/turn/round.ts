import { concat, defer, EMPTY, mergeMap, of, type Observable } from 'rxjs';
import { readContext } from '../context/read-context.js';
import type { TurnFact } from '../operations/operation.js';
import { exchangeOf } from './exchange.js';
import { callModel } from './model-call.js';
import { toolBatch } from './tool-batch.js';
import type { Round, Turn } from './turn-context.js';

/** Runs one round: reads the context, sends the request, streams the answer, and runs the calls that it requests. */
export function runRound(turn: Turn): Observable<TurnFact> {
  // A subscriber may have cancelled at the last fact of the round before.
  turn.cancellation.checkpoint();
  const round: Round = {
    number: turn.spending.startRound(),
    contextLines: [],
    finish: null,
    usage: null,
    calls: [],
    innerCalls: [],
    innerCallRuns: false,
  };
  turn.round = round;
  return concat(
    of({
      type: 'roundStarted',
      round: round.number,
      budget: turn.spending.budget(),
      contextPressure: contextPressure(turn),
    } as const),
    refreshContext(turn, round),
    callModel(turn, round),
    defer(() => toolBatch(turn, round)),
    defer(() => closeRound(turn, round)),
  );
}

function refreshContext(turn: Turn, round: Round): Observable<TurnFact> {
  const { context, limits } = turn.settings;
  if (context.length === 0) return EMPTY;
  return readContext(context, turn.ports.clock, limits.contextTimeoutMs).pipe(
    mergeMap(({ lines, diagnostics }) => {
      round.contextLines = lines;
      return of({ type: 'contextRefreshed', diagnostics } as const);
    }),
    turn.cancellation.untilCancelled(),
  );
}

/** Returns the share of the context window that the last request filled, 0 to 1; null where it is unknown. */
function contextPressure(turn: Turn): number | null {
  const { contextWindow } = turn.settings.provider.capabilities ?? {};
  const { lastInputTokens } = turn.spending;
  return contextWindow === undefined || lastInputTokens === undefined
    ? null
    : lastInputTokens / contextWindow;
}

/** Appends the messages of a round with tool calls. Those of the last round are appended when the turn commits. */
function closeRound(turn: Turn, round: Round): Observable<TurnFact> {
  if (round.calls.length === 0) turn.ending ??= { kind: 'completed' };
  if (turn.ending !== null) return EMPTY;
  turn.round = null;
  return of(
    { type: 'messagesAppended', messages: exchangeOf(turn, round) } as const,
    roundCompleted(turn, round),
  );
}

/** Returns the fact that a round was completed. */
export function roundCompleted(turn: Turn, round: Round): TurnFact {
  return {
    type: 'roundCompleted',
    round: round.number,
    usage: round.usage,
    totalUsage: turn.spending.usage,
    toolCalls: round.innerCalls.length + round.calls.length,
    budget: turn.spending.budget(),
  };
}
