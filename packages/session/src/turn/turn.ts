import { defer, type Observable } from 'rxjs';
import type { TurnFact } from '../operations/operation.js';
import { concat } from './concat.js';
import { openTurn } from './open-turn.js';
import { repeatWhile } from './repeat-while.js';
import { runRound } from './round.js';
import { settle } from './settle.js';
import { isStopped, type Turn } from './turn-context.js';
import { withinTime } from './within-time.js';

/**
 * One turn, from the user's message to the final answer, as a cold stream of facts:
 *
 *   open ▶ round ▶ round ▶ … ▶ settle
 *
 * A round is a provider round trip and the batch of tool calls that it requests; rounds follow each other until an answer requests
 * none. Each early end reaches `settle`, the only stage that ends turns, as an error: the time limit, an abort, a cancel that a
 * stage noticed, or a failure.
 */
export function runTurn(turn: Turn): Observable<TurnFact> {
  return concat(openTurn(turn), rounds(turn)).pipe(
    withinTime(turn),
    turn.cancellation.untilAborted(),
    settle(turn),
  );
}

function rounds(turn: Turn): Observable<TurnFact> {
  return defer(() => runRound(turn)).pipe(repeatWhile(() => !isStopped(turn)));
}
