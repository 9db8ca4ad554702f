import { deepFreeze } from '@banister/provider/internal/json/json';
import { EMPTY, type Observable } from 'rxjs';
import { fromAsync } from '../operations/from-async.js';
import type { MiddlewareAct } from './middleware-operations.js';
import type { TurnFact } from '../operations/operation.js';
import { nextSteering } from '../turn/join-steering.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import { HookCaller } from './call-hook.js';
import { actedAt, actedFact, type With } from './hook-place.js';
import { readFinishedTurnVerdict } from './read-verdicts.js';

/**
 * Calls the hooks after the final answer, until a hook continues the turn. If a steering message waits, no hook is called, because the turn
 * is not finished then.
 */
export function afterTurn(turn: FeatureTurn, list: readonly With<'afterTurn'>[]): Observable<TurnFact> {
  const isFinished = turn.current().fold.turn?.ending?.kind === 'completed';
  if (!isFinished || nextSteering(turn) !== undefined || actedAt(turn, 'afterTurn').length > 0) return EMPTY;
  return fromAsync<TurnFact>(async (facts) => {
    const caller = new HookCaller(turn, facts);
    const state = turn.state();
    const { continuations = 0 } = turn.current().fold.turn!;
    const finished = {
      record: deepFreeze(state.liveTurn!),
      text: state.currentText,
      usage: state.lastUsageReport,
      continuations,
    };
    const acts: MiddlewareAct[] = [];
    for (const one of list) {
      const { name: middleware } = one;
      const input = Object.freeze({ ...finished });
      const result = await caller.call((context) => one.afterTurn(input, context), readFinishedTurnVerdict);
      if ('failed' in result) {
        turn.ports.reportError(result.error);
        acts.push({ middleware, did: 'failed', reason: result.failed });
      } else if (result.answer !== null) {
        const obstacle = obstacleOf(turn, continuations);
        if (obstacle === null) {
          acts.push({ middleware, did: 'continued', note: result.answer });
          break;
        }
        acts.push({ middleware, did: 'not-continued', reason: obstacle });
      }
    }
    facts.next(actedFact('afterTurn', acts));
  });
}

/** Returns why the turn cannot go on; null if it can. A continuation never trips a limit. */
function obstacleOf({ settings, spending }: FeatureTurn, continuations: number): string | null {
  const { maxContinuations } = settings.limits;
  if (continuations >= maxContinuations)
    return `the turn was continued as often as maxContinuations permits (${maxContinuations})`;
  return spending.permitsRound ? null : 'the limits of the turn permit no further round';
}
