import type { JsonObject } from '@banister/provider';
import { deepFreeze } from '@banister/provider/internal/json/json';
import * as told from '../conversation/model-words.js';
import type { Observable } from 'rxjs';
import type { GuardedCall } from '../guards/guard.js';
import { fromAsync } from '../operations/from-async.js';
import type { MiddlewareAct } from './middleware-operations.js';
import type { TurnFact } from '../operations/operation.js';
import { checkArguments, invalidArgumentsText } from '../tools/check-arguments.js';
import { guardedCallOf, reject, type BatchCall, type ReadyCall } from '../turn/batch-call.js';
import { changesOf } from '../turn/edited-line.js';
import type { FeatureTurn, HookStages } from '../turn/turn-parts.js';
import { HookCaller } from './call-hook.js';
import { actedAt, actedFact, type With } from './hook-place.js';
import { readCallVerdicts } from './read-verdicts.js';

/**
 * Passes the valid calls of a batch to the hooks, then carries out their verdicts: a call goes on, goes on with other arguments, or is
 * rejected. The verdicts are read from the state, including verdicts from before an interruption of the turn.
 */
export function beforeToolCalls(
  turn: FeatureTurn,
  list: readonly With<'beforeToolCalls'>[],
  calls: readonly BatchCall[],
  messageOf: HookStages['messageOf'],
): Observable<TurnFact> {
  return fromAsync<TurnFact>(async (facts) => {
    const open = calls.flatMap(({ ready, rejected }) => (ready === null || rejected ? [] : [ready]));
    const fresh = open.filter(({ id }) => actedAt(turn, 'beforeToolCalls', id).length === 0);
    if (fresh.length > 0 && list.length > 0) {
      const given = fresh.map((call) => guardedCallOf(call, turn.agent));
      const acts = await actsOf(new HookCaller(turn, facts), list, given, messageOf);
      const ids = fresh.map(({ id }) => id);
      facts.next(actedFact('beforeToolCalls', acts, ids));
    }
    for (const call of calls) {
      if (facts.closed) return;
      const fact = call.ready === null || call.rejected ? null : await carryOut(turn, call, call.ready);
      if (fact !== null) facts.next(fact);
    }
  });
}

/** Returns what all hooks did. A later hook gets the calls as the earlier hooks left them. */
async function actsOf(
  caller: HookCaller,
  list: readonly With<'beforeToolCalls'>[],
  given: readonly GuardedCall[],
  messageOf: HookStages['messageOf'],
): Promise<readonly MiddlewareAct[]> {
  const acts: MiddlewareAct[] = [];
  let calls = deepFreeze(given);
  for (const one of list) {
    const { name: middleware } = one;
    if (calls.length === 0) break;
    const input = calls;
    const ids = input.map(({ id }) => id);
    const called = caller.call(
      (context) => one.beforeToolCalls(input, context),
      (answer) => readCallVerdicts(answer, ids),
    );
    const result = called instanceof Promise ? await called : called;
    if ('failed' in result) return [...acts, { middleware, did: 'failed', reason: messageOf(result.error) }];
    if (result.answer.size === 0) continue;
    const left = input.flatMap((call) => {
      const verdict = result.answer.get(call.id);
      if (verdict === undefined) return [call];
      if ('reject' in verdict) {
        acts.push({ middleware, did: 'rejected', callId: call.id, reason: verdict.reject });
        return [];
      }
      acts.push({ middleware, did: 'replaced', callId: call.id, arguments: verdict.arguments });
      return [{ ...call, arguments: verdict.arguments }];
    });
    calls = deepFreeze(left);
  }
  return acts;
}

/** Carries out the verdicts about a call. Returns the fact of a rejection; null if the call goes on. */
async function carryOut(turn: FeatureTurn, call: BatchCall, ready: ReadyCall): Promise<TurnFact | null> {
  const acts = actedAt(turn, 'beforeToolCalls', ready.id).flatMap((one) => one.acts);
  const failure = acts.find((act) => act.did === 'failed');
  if (failure?.did === 'failed')
    return reject(
      call,
      'middleware',
      told.middlewareFailed(ready.tool.id, failure.middleware, failure.reason),
    );
  const own = acts.filter((act) => 'callId' in act && act.callId === ready.id).at(-1);
  if (own?.did === 'rejected')
    return reject(call, 'middleware', told.rejectedBy(ready.tool.id, own.middleware, own.reason));
  return own?.did === 'replaced' ? replace(call, ready, own.middleware, own.arguments) : null;
}

/**
 * Replaces the arguments of a call, unless the user edited them afterwards. Returns the fact of a rejection if the new arguments do not
 * fit; otherwise null.
 */
async function replace(
  call: BatchCall,
  ready: ReadyCall,
  by: string,
  args: JsonObject,
): Promise<TurnFact | null> {
  const { tool, validate, editedFrom } = ready;
  const changes = changesOf(editedFrom ?? ready.arguments, args) || told.nothing;
  const replaced = { by, line: told.replacedArguments(by, changes) };
  if (editedFrom !== null) {
    call.ready = { ...ready, editedFrom: args, replaced };
    return null;
  }
  const checked = await checkArguments(tool, validate, args);
  if (!checked.ok) {
    const text = invalidArgumentsText(tool, checked.issues);
    return reject(call, 'invalid-arguments', `${replaced.line} ${text}`);
  }
  call.ready = { ...ready, arguments: args, value: checked.value, replaced };
  return null;
}
