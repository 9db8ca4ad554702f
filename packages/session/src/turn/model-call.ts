import { catchError, concat, defer, of, throwError, type Observable } from 'rxjs';
import { withOutcomeNotes } from '../context/outcome-notes.js';
import type { AgentSessionError } from '../errors/agent-session-error.js';
import { defined } from '../json/defined.js';
import type { ModelCallStarted } from '../operations/model-operations.js';
import type { TurnFact } from '../operations/operation.js';
import type { ProviderRequest } from '../provider/provider.js';
import { foldStateOf } from '../state/session-state.js';
import { Answer } from './answer.js';
import { retryDelay } from './retry-delay.js';
import type { Round, Turn } from './turn-context.js';
import { wait } from './wait.js';

/** Sends the request of a round and streams the answer. A failed attempt is repeated while no piece of its answer was visible. */
export function callModel(turn: Turn, round: Round): Observable<TurnFact> {
  return defer(() => {
    const revisions = turn.revisions.now();
    return attempt(turn, round, { request: buildRequest(turn, round), revisions }, 1);
  }).pipe(turn.cancellation.untilCancelled(() => round.innerCallRuns));
}

type RequestingTurn = Pick<Turn, 'id' | 'settings' | 'state' | 'tools'>;

/**
 * Returns the request: persona, live context, conversation with notes, tools. It is frozen here by its parts, which are frozen
 * already: the operation that carries it would otherwise walk through all messages.
 */
function buildRequest(turn: RequestingTurn, round: Round): ProviderRequest {
  const { role, limits } = turn.settings;
  const { conversation, turns, liveTurn, fold } = foldStateOf(turn.state());
  const messages = withOutcomeNotes(conversation.messages, { turns, liveTurn, aside: fold.aside });
  const request = defined({
    system: [role, round.contextLines.join('\n')].filter((block) => block !== '').join('\n\n'),
    messages: Object.freeze(messages),
    tools: turn.tools.definitions,
    maxOutputTokens: limits.maxTokensPerRound === Infinity ? undefined : limits.maxTokensPerRound,
    idempotencyKey: `${turn.id}-${round.number}`,
  });
  return Object.freeze(request);
}

/** A request, and the revisions of the domains when it was built. */
type BuiltRequest = Required<Pick<ModelCallStarted, 'request' | 'revisions'>>;

function attempt(turn: Turn, round: Round, built: BuiltRequest, number: number): Observable<TurnFact> {
  const { settings, ports } = turn;
  const { maxRetries } = settings.limits;
  const answer = new Answer(turn, round);
  return concat(
    of({ type: 'modelCallStarted', attempt: number, model: settings.provider.model, ...built } as const),
    answer.stream(built.request),
    defer(() => of(modelCallFinished(turn, answer, number, null))),
  ).pipe(
    catchError((thrown: unknown) => {
      // The error is that of a cancel, which waited for a call inside the answer: the model call did not fail.
      if (turn.cancellation.level !== null) return throwError(() => thrown);
      const error = answer.errorOf(thrown);
      const failure = of(modelCallFinished(turn, answer, number, error));
      const delayMs = answer.visible ? null : retryDelay(error, number, maxRetries, ports.random);
      if (delayMs === null)
        return concat(
          failure,
          throwError(() => error),
        );
      const retrying = {
        type: 'retrying',
        attempt: number + 1,
        maxAttempts: maxRetries + 1,
        delayMs,
        reason: error.message,
        code: error.code,
      } as const;
      const again = defer(() => attempt(turn, round, built, number + 1));
      return concat(failure, of(retrying), wait(ports.clock, delayMs), again);
    }),
  );
}

function modelCallFinished(
  { spending }: Pick<Turn, 'spending'>,
  { usage, end }: Pick<Answer, 'usage' | 'end'>,
  attempt: number,
  error: AgentSessionError | null,
): TurnFact {
  return defined({
    type: 'modelCallFinished',
    attempt,
    usage,
    stopReason: end?.reason ?? null,
    rawStopReason: end?.raw,
    stopDetail: end?.detail,
    error: error?.toJSON() ?? null,
    budget: spending.budget(),
  });
}
