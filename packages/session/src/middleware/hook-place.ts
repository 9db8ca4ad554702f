import type { ActedHook } from '../state/turn-notes.js';
import type { HookName, MiddlewareAct } from './middleware-operations.js';
import type { TurnFact } from '../operations/operation.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import type { Middleware } from './middleware.js';

/** A middleware with this hook. */
export type With<Hook extends HookName | 'redact'> = Middleware & Required<Pick<Middleware, Hook>>;

/** Returns the middleware with a hook, in list order. */
export function withHook<Hook extends HookName | 'redact'>(
  list: readonly Middleware[],
  hook: Hook,
): readonly With<Hook>[] {
  return list.filter((middleware): middleware is With<Hook> => middleware[hook] !== undefined);
}

/** Returns the notes of the open round about a hook; with `callId`, only the notes about this call. */
export function actedAt(
  { current }: Pick<FeatureTurn, 'current'>,
  hook: HookName,
  callId?: string,
): readonly ActedHook[] {
  const { acted = [] } = current().fold.turn?.round ?? {};
  return acted.filter((one) => one.hook === hook && (callId === undefined || one.calls.includes(callId)));
}

/** Returns the fact that the hooks of a place were called. */
export function actedFact(
  hook: HookName,
  acts: readonly MiddlewareAct[],
  calls?: readonly string[],
): TurnFact {
  return calls === undefined
    ? { type: 'middlewareActed', hook, acts }
    : { type: 'middlewareActed', hook, calls, acts };
}
