import type { ProviderRequest } from '@banister/provider';
import { messageOf } from '@banister/provider/internal/errors/to-session-error';
import type { Observable } from 'rxjs';
import { fromAsync } from '../operations/from-async.js';
import type { MiddlewareAct } from './middleware-operations.js';
import type { TurnFact } from '../operations/operation.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import { HookCaller } from './call-hook.js';
import { egressRefused } from './egress-refused.js';
import { actedFact, type With } from './hook-place.js';
import { PassingRequest } from './passing-request.js';

/** Passes a request through the hooks. The result is checked after the last hook. */
export function beforeRequest(
  turn: FeatureTurn,
  list: readonly With<'beforeRequest'>[],
  original: ProviderRequest,
  send: (request: ProviderRequest) => void,
): Observable<TurnFact> {
  return fromAsync<TurnFact>(async (facts) => {
    const caller = new HookCaller(turn, facts);
    const acts: MiddlewareAct[] = [];
    const refused = ({ name: middleware }: { readonly name: string }, failed: string, cause: unknown) => {
      facts.next(actedFact('beforeRequest', [...acts, { middleware, did: 'failed', reason: failed }]));
      return egressRefused(middleware, failed, cause);
    };
    const passing = new PassingRequest(original);
    let last: With<'beforeRequest'> | undefined;
    for (const middleware of list) {
      const { request } = passing;
      const called = caller.call(
        (context) => middleware.beforeRequest(request, context),
        (answer) => passing.take(answer),
      );
      const result = called instanceof Promise ? await called : called;
      if ('failed' in result) throw refused(middleware, result.failed, result.error);
      if (!result.answer) continue;
      acts.push({ middleware: middleware.name, did: 'changed-request' });
      last = middleware;
    }
    if (last !== undefined) {
      try {
        send(passing.checked());
      } catch (error) {
        throw refused(last, `the request is not valid: ${messageOf(error)}`, error);
      }
    }
    facts.next(actedFact('beforeRequest', acts));
  });
}
