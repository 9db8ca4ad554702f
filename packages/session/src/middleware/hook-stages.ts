import { EMPTY } from 'rxjs';
import type { HookStages } from '../turn/turn-parts.js';
import { afterResponse, unseenAnswer } from './after-response.js';
import { afterToolCall } from './after-tool-call.js';
import { afterTurn } from './after-turn.js';
import { beforeRequest } from './before-request.js';
import { beforeToolCalls } from './before-tool-calls.js';
import { checkMiddleware } from './check-middleware.js';
import { withHook } from './hook-place.js';
import type { Middleware } from './middleware.js';
import { onToolError } from './on-tool-error.js';
import { messageFor, redactedBy } from './redacted.js';

/** An agent with its own middleware. */
interface Owner {
  readonly middleware?: readonly Middleware[] | undefined;
}

/** The stages of each list, and of each agent with the list of its session, because they are needed at each place of a turn. */
const known = new WeakMap<object, { readonly list: readonly Middleware[]; readonly stages: HookStages }>();

/** Returns the stages of the middleware of a session; with an agent, also of the agent's own middleware. */
export function stagesOf(list: readonly Middleware[], agent?: Owner): HookStages {
  const key = agent ?? list;
  let one = known.get(key);
  if (one?.list !== list) known.set(key, (one = { list, stages: createStages(list, agent) }));
  return one.stages;
}

/**
 * Stages without a hook complete at once. But the stages of tool calls and of their errors first carry out the decisions in the log, even
 * without a hook.
 */
function createStages(shared: readonly Middleware[], agent: Owner | undefined): HookStages {
  const own = agent?.middleware ?? [];
  const list = [...shared, ...own];
  checkMiddleware(list);
  const hooks = {
    beforeRequest: withHook(list, 'beforeRequest'),
    afterResponse: withHook(list, 'afterResponse'),
    beforeToolCalls: withHook(list, 'beforeToolCalls'),
    afterToolCall: withHook(list, 'afterToolCall'),
    onToolError: withHook(list, 'onToolError'),
    // The end of a child turn is no end of the turn for the session.
    afterTurn: withHook(agent === undefined ? list : own, 'afterTurn'),
  };
  const redact = redactedBy(withHook(list, 'redact'));
  const messageOf = (thrown: unknown) => messageFor(redact, thrown);
  return {
    redact,
    messageOf,
    beforeRequest: (turn, request, send) =>
      hooks.beforeRequest.length === 0 ? EMPTY : beforeRequest(turn, hooks.beforeRequest, request, send),
    afterResponse: (turn) =>
      hooks.afterResponse.length === 0 ? EMPTY : afterResponse(turn, hooks.afterResponse),
    beforeToolCalls: (turn, calls) => beforeToolCalls(turn, hooks.beforeToolCalls, calls, messageOf),
    afterToolCall: (turn, call, result, settle) =>
      afterToolCall(turn, hooks.afterToolCall, call, result, settle),
    onToolError: (turn, callId) => onToolError(turn, hooks.onToolError, callId),
    afterTurn: (turn) => (hooks.afterTurn.length === 0 ? EMPTY : afterTurn(turn, hooks.afterTurn)),
    unseenAnswer: (turn) => unseenAnswer(turn, hooks.afterResponse),
  };
}
