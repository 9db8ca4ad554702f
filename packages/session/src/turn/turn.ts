import type { Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import { concat, type Stage } from './concat.js';
import { openTurn } from './open-turn.js';
import { runRound } from './round.js';
import { settle } from './settle.js';
import { isStopped, type Turn } from './turn-context.js';
import { withinTime } from './within-time.js';

/**
 * Runs one turn, from the user's message to the final answer, as a cold stream of facts:
 *
 *   open ▶ round ▶ round ▶ … ▶ settle
 *
 * A round is one request to the provider and the batch of tool calls that the answer requests. Rounds follow each other until an answer
 * requests no calls. `settle` is the only stage that ends turns. Every early end reaches it as an error: the time limit, an abort, a cancel
 * that a stage noticed, or a failure.
 */
export function runTurn(turn: Turn): Observable<TurnFact> {
  return concat(openTurn(turn), rounds(turn)).pipe(
    withinTime(turn),
    turn.cancellation.untilAborted(),
    settle(turn),
  );
}

/** The rounds until the end of the turn is decided. */
export function rounds(turn: Turn): Stage {
  return [() => runRound(turn), () => (isStopped(turn) ? [] : rounds(turn))];
}
