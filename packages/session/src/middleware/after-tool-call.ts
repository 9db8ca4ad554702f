import type { ToolResult } from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import type { Observable } from 'rxjs';
import * as told from '../conversation/model-words.js';
import { fromAsync } from '../operations/from-async.js';
import type { MiddlewareAct } from './middleware-operations.js';
import type { TurnFact } from '../operations/operation.js';
import { cappedResult, textResult } from '../tools/tool-result.js';
import { guardedCallOf, type ReadyCall } from '../turn/batch-call.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import { HookCaller } from './call-hook.js';
import { actedFact, type With } from './hook-place.js';
import { readResultVerdict } from './read-verdicts.js';

/**
 * The reason that is logged for a failed hook. The error itself is only reported, because it may quote the result, which the log must not
 * contain.
 */
const failure = 'it threw, took too long, or returned a value that it must not return';

/**
 * Passes the result of a call through the hooks, before it is recorded. The first hook that rejects the result, or fails, ends the list.
 */
export function afterToolCall(
  turn: FeatureTurn,
  list: readonly With<'afterToolCall'>[],
  call: ReadyCall,
  given: ToolResult,
  settle: (result: ToolResult) => void,
): Observable<TurnFact> {
  return fromAsync<TurnFact>(async (facts) => {
    const caller = new HookCaller(turn, facts);
    const acts: MiddlewareAct[] = [];
    let result = given;
    const reject = (act: MiddlewareAct, text: string) => {
      acts.push(act);
      result = textResult('unusable', text);
    };
    for (const one of list) {
      const { name: middleware } = one;
      const answer = deepFreeze({ call: guardedCallOf(call, turn.agent), ...result });
      const called = caller.call((context) => one.afterToolCall(answer, context), readResultVerdict);
      const verdict = called instanceof Promise ? await called : called;
      if ('failed' in verdict) {
        turn.ports.reportError(verdict.error);
        reject({ middleware, did: 'failed', reason: failure }, told.unchecked(middleware));
        break;
      }
      if (verdict.answer === null) continue;
      if ('reject' in verdict.answer) {
        const { reject: reason } = verdict.answer;
        reject(
          { middleware, did: 'rejected', callId: call.id, reason },
          told.resultRejected(middleware, reason),
        );
        break;
      }
      acts.push({ middleware, did: 'replaced-result', callId: call.id });
      // The sentence for the user is left out, because it may quote what the hook removes.
      const { outcome } = result;
      result = cappedResult({ outcome, content: verdict.answer.replace });
    }
    if (facts.closed) return;
    settle(result);
    // The fact comes last. A turn that is resumed between the result and this fact has the result, and calls no hook again.
    if (list.length > 0) facts.next(actedFact('afterToolCall', acts, [call.id]));
  });
}
