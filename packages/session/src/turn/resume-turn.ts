import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { fromErrorData } from '@banister/provider/internal/errors/to-session-error';
import { EMPTY, throwError, type Observable } from 'rxjs';
import { callsOf } from '../conversation/turn-record.js';
import { isLimitError } from '../limits/spending.js';
import type { TurnFact } from '../operations/operation.js';
import type { TurnResumed } from '../operations/turn-operations.js';
import type { Interruption } from '../state/session-state.js';
import { abandonedError } from './cancellation.js';
import { concat, type Stage } from './concat.js';
import { discovered } from './doors.js';
import { joinSteering } from './join-steering.js';
import { resumeBatch } from './resume-batch.js';
import { answeredRound, askModel, roundCompleted } from './round.js';
import { settle } from './settle.js';
import { isStopped, type Turn } from './turn-context.js';
import { rounds } from './turn.js';
import { takeUp } from './take-up.js';
import { withinTime } from './within-time.js';

/**
 * Runs an interrupted turn from the point of its interruption to its end, as a cold stream of facts:
 *
 *   open ▶ the rest of the open round ▶ round ▶ … ▶ settle
 *
 * The stages are the stages of an uninterrupted turn: they read from the state how far the turn is.
 *
 * @param by `abandon` takes the turn back instead, unless its end had begun
 */
export function resumeTurn(
  turn: Turn,
  { at, unknown }: Pick<Interruption, 'at' | 'unknown'>,
  by: TurnResumed['by'],
): Observable<TurnFact> {
  const hasEnd = at === 'commit' || at === 'rollback';
  const rest = hasEnd || by === 'resume' ? pointUnlessEnding(turn, at) : abandonedUnlessCancelled(turn);
  // The end of a turn has no limits, and a cancel in the log must not prevent the end from moving its effects.
  const isUnbounded = hasEnd || at === 'review' || by === 'abandon';
  const bounded = isUnbounded ? rest : rest.pipe(withinTime(turn), turn.cancellation.untilAborted());
  return concat(takeUp(turn, unknown), bounded).pipe(settle(turn));
}

/**
 * Returns the stages from a point on. If child turns have ended because the turn was ending, the turn does not go on without them: it ends by
 * the same limit, or as abandoned.
 */
function pointUnlessEnding(turn: Turn, at: Interruption['at']): Observable<TurnFact> {
  const { closing, cancel, review } = turn.current().fold.turn!;
  const children = callsOf(turn.current().liveTurn?.rounds.at(-1)).flatMap((call) => call.children ?? []);
  // A child turn that failed by itself has the report of its effects.
  const cut = children.find(
    ({ status, outcome }) => (status === 'failed' && outcome?.report === undefined) || outcome?.stop?.above,
  );
  if (cut === undefined || closing !== null || cancel !== null || review !== undefined)
    return point(turn, at);
  const { error: data, stop } = cut.outcome!;
  const { code, details } = stop?.limit ?? {};
  const error = data ? fromErrorData(data) : new AgentSessionError(code!, stop!.message, { details });
  return isLimitError(error) ? throwError(() => error) : abandoned();
}

function point(turn: Turn, at: Interruption['at']): Observable<TurnFact> {
  switch (at) {
    case 'stream':
      return concat(discovered(turn), askAgain(turn), roundsLeft(turn));
    case 'batch':
      return concat(
        discovered(turn),
        () => (turn.parts.structured === null ? resumeBatch(turn) : answeredRound(turn)),
        roundsLeft(turn),
      );
    case 'commit':
      // A cancel that keeps the effects ends the turn as cancelled. Any other commit follows at once.
      return isStopped(turn) ? EMPTY : cancelled();
    case 'review':
      // `settle` reads a cancel in the log before the review goes on.
      return EMPTY;
    case 'rollback':
      return turn.current().fold.turn?.cancel ? cancelled() : abandoned();
    default:
      return concat(closeRound(turn), discovered(turn), roundsLeft(turn));
  }
}

/** Requests the answer of the open round again. The answer until now is removed. */
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
  return concat(retrying, () => askModel(turn, turn.spending.rounds), answeredRound(turn));
}

/** If the messages of the open round were appended, completes the round. */
function closeRound(turn: Turn): Observable<TurnFact> {
  return concat(
    () => (turn.current().fold.turn?.round?.appended ? roundCompleted(turn) : []),
    joinSteering(turn),
  );
}

function roundsLeft(turn: Turn): Stage {
  return () => (isStopped(turn) ? [] : rounds(turn));
}

/** Ends the turn as cancelled if the log has a cancel, otherwise as abandoned. A cancel of a review is not in `cancellation`. */
function abandonedUnlessCancelled({ cancellation }: Pick<Turn, 'cancellation'>): Observable<never> {
  return cancellation.level === null ? abandoned() : cancelled();
}

function cancelled(): Observable<never> {
  return throwError(cancelledError);
}

function abandoned(): Observable<never> {
  return throwError(abandonedError);
}
