import { concat, defer, EMPTY, mergeMap, of, type Observable } from 'rxjs';
import { readContext } from '../context/read-context.js';
import type { Message } from '../conversation/message.js';
import type { TurnFact } from '../operations/operation.js';
import { exchangeOf } from './exchange.js';
import { joinSteering, nextSteering } from './join-steering.js';
import { callModel } from './model-call.js';
import { toolBatch } from './tool-batch.js';
import { requestedIn } from '../state/round-calls.js';
import { isStopped, type Round, type Turn } from './turn-context.js';
import { written } from './written.js';

/** Runs one round: reads the context, sends the request, streams the answer, and runs the calls that it requests. */
export function runRound(turn: Turn): Observable<TurnFact> {
  // A subscriber may have cancelled at the last fact of the round before.
  turn.cancellation.checkpoint();
  const number = turn.spending.nextRound();
  const started = {
    type: 'roundStarted',
    round: number,
    budget: turn.spending.budget({ rounds: number }),
    contextPressure: contextPressure(turn),
  } as const;
  return concat(of(started), askModel(turn, number), answeredRound(turn));
}

/** Reads the context, sends the request of a round, and streams the answer. */
export function askModel(turn: Turn, number: number): Observable<TurnFact> {
  const round: Round = { number, contextLines: [], innerCallRuns: false };
  return concat(
    refreshContext(turn, round),
    // The messages of the request are recorded before it is sent.
    written(turn).pipe(turn.cancellation.untilCancelled()),
    callModel(turn, round),
  );
}

/** Runs the calls that the answer of the open round requests, and closes the round. */
export function answeredRound(turn: Turn): Observable<TurnFact> {
  return concat(
    defer(() => toolBatch(turn)),
    defer(() => closeRound(turn)),
  );
}

function refreshContext(
  turn: Pick<Turn, 'settings' | 'ports' | 'cancellation'>,
  round: Round,
): Observable<TurnFact> {
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
function contextPressure(turn: Pick<Turn, 'settings' | 'spending'>): number | null {
  const { contextWindow } = turn.settings.provider.capabilities ?? {};
  const { lastInputTokens } = turn.spending;
  return contextWindow === undefined || lastInputTokens === null ? null : lastInputTokens / contextWindow;
}

/**
 * Appends the messages of a round that another one follows, since it has tool calls or the user steers. Those of the last round are
 * appended when the turn commits.
 */
export function closeRound(turn: Turn): Observable<TurnFact> {
  if (isStopped(turn) && nextSteering(turn) === undefined) return EMPTY;
  const messages = closedExchange(turn);
  return concat(
    messages.length === 0 ? EMPTY : of({ type: 'messagesAppended', messages } as const),
    of(roundCompleted(turn)),
    joinSteering(turn),
  );
}

/**
 * Returns the messages of a round that another one follows. The text after the last call inside an answer that broke off is left out: the
 * model continues from the result.
 */
function closedExchange(turn: Turn): readonly Message[] {
  const messages = exchangeOf(turn);
  const isWhole = (turn.current().fold.turn?.round?.finish ?? null) !== null;
  return isWhole || messages.at(-1)?.role === 'user' ? messages : messages.slice(0, -1);
}

/** Returns the fact that the open round was completed. */
export function roundCompleted({ current, spending }: Pick<Turn, 'current' | 'spending'>): TurnFact {
  const state = current();
  return {
    type: 'roundCompleted',
    round: spending.rounds,
    usage: state.fold.turn?.round?.usage ?? null,
    totalUsage: spending.usage,
    toolCalls: requestedIn(state).length,
    budget: spending.budget(),
  };
}
