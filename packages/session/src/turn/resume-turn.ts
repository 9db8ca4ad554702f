import { concat, defer, EMPTY, of, throwError, type Observable } from 'rxjs';
import { AgentSessionError } from '../errors/agent-session-error.js';
import type { TurnFact } from '../operations/operation.js';
import type { TurnResumed } from '../operations/turn-operations.js';
import type { Interruption } from '../state/session-state.js';
import { cancelledError } from './cancellation.js';
import { joinSteering } from './join-steering.js';
import { repeatWhile } from './repeat-while.js';
import { resumeBatch } from './resume-batch.js';
import { answeredRound, askModel, roundCompleted, runRound } from './round.js';
import { settle } from './settle.js';
import { isStopped, type Turn } from './turn-context.js';
import { takeUp } from './take-up.js';
import { withinTime } from './within-time.js';

/**
 * An interrupted turn, from the point of its interruption to its end, as a cold stream of facts:
 *
 *   open ▶ the rest of the open round ▶ round ▶ … ▶ settle
 *
 * The stages are those of a turn that was never interrupted: they read from the state how far the turn is.
 *
 * @param by `abandon` takes the turn back instead, unless its end had begun
 */
export function resumeTurn(
  turn: Turn,
  { at, unknown }: Pick<Interruption, 'at' | 'unknown'>,
  by: TurnResumed['by'],
): Observable<TurnFact> {
  const hasEnd = at === 'commit' || at === 'rollback';
  const rest = hasEnd || by === 'resume' ? point(turn, at) : abandoned();
  // The end of a turn has no limits, and a cancel that the log has must not keep it from its effects.
  const bounded = rest.pipe(withinTime(turn.clock, turn.settings.limits), turn.cancellation.untilAborted());
  return concat(takeUp(turn, unknown), hasEnd ? rest : bounded).pipe(settle(turn));
}

function point(turn: Turn, at: Interruption['at']): Observable<TurnFact> {
  switch (at) {
    case 'stream':
      return concat(askAgain(turn), rounds(turn));
    case 'batch':
      return concat(resumeBatch(turn), rounds(turn));
    case 'commit':
      // A cancel that keeps the effects ends as a cancel; any other commit follows at once.
      return isStopped(turn) ? EMPTY : cancelled();
    case 'rollback':
      return turn.current().fold.turn?.cancel ? cancelled() : abandoned();
    default:
      return concat(closeRound(turn), rounds(turn));
  }
}

/** Asks the model of the open round again. The answer so far is removed. */
function askAgain(turn: Turn): Observable<TurnFact> {
  const { maxRetries } = turn.settings.limits;
  const retrying = {
    type: 'retrying',
    attempt: 1,
    maxAttempts: maxRetries + 1,
    delayMs: 0,
    reason: 'restored',
    code: 'interrupted',
  } as const;
  return concat(
    of(retrying),
    defer(() => askModel(turn, turn.spending.rounds)),
    answeredRound(turn),
  );
}

/** Completes a round whose exchange was appended. */
function closeRound(turn: Turn): Observable<TurnFact> {
  return concat(
    defer(() => (turn.current().fold.turn?.round?.appended ? of(roundCompleted(turn)) : EMPTY)),
    joinSteering(turn),
  );
}

function rounds(turn: Turn): Observable<TurnFact> {
  return defer(() =>
    isStopped(turn) ? EMPTY : defer(() => runRound(turn)).pipe(repeatWhile(() => !isStopped(turn))),
  );
}

function cancelled(): Observable<never> {
  return throwError(cancelledError);
}

function abandoned(): Observable<never> {
  return throwError(
    () =>
      new AgentSessionError('interrupted', 'The turn was interrupted, and was not continued.', {
        details: { abandoned: true },
      }),
  );
}
