import { refusal } from '@banister/provider/internal/errors/checked';
import { repeatedIn } from '@banister/provider/internal/json/shape';
import type { HookName } from './middleware-operations.js';
import type { Middleware } from './middleware.js';

const hooks: readonly HookName[] = [
  'beforeRequest',
  'afterResponse',
  'beforeToolCalls',
  'afterToolCall',
  'onToolError',
  'afterTurn',
];

const functions = [...hooks, 'redact'] as const;

/**
 * Checks the middleware of a turn. Throws `invalid-configuration`, because a misspelt hook would be ignored, and a filter that is never
 * called would let everything pass.
 */
export function checkMiddleware(list: readonly Middleware[]): void {
  for (const middleware of list) {
    const given = functions.filter((name) => middleware[name] !== undefined);
    if (given.every((name) => name === 'redact'))
      throw refusal(`The middleware "${middleware.name}" has none of the hooks ${hooks.join(', ')}.`);
    const wrong = given.find((name) => typeof middleware[name] !== 'function');
    if (wrong !== undefined) throw refusal(`The hook ${wrong} of "${middleware.name}" is no function.`);
  }
  const twice = repeatedIn(list.map(({ name }) => name));
  if (twice !== undefined) throw refusal(`The middleware "${twice}" is registered twice.`);
}
