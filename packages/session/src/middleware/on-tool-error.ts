import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { deepFreeze, isJsonObject } from '@banister/provider/internal/json/json';
import { isErrorOutcome } from '@banister/provider/internal/messages/content';
import type { Observable } from 'rxjs';
import { callsOf, type ToolCallView } from '../conversation/turn-record.js';
import { fromAsync } from '../operations/from-async.js';
import type { MiddlewareAct } from './middleware-operations.js';
import type { TurnFact } from '../operations/operation.js';
import type { ToolFailed } from '../operations/tool-operations.js';
import type { FeatureTurn } from '../turn/turn-parts.js';
import { HookCaller } from './call-hook.js';
import { actedAt, actedFact, type With } from './hook-place.js';
import type { ToolError } from './middleware.js';
import { readToolErrorVerdict } from './read-verdicts.js';

/**
 * Passes failed calls of the open round to the hooks, until a hook escalates. Then errors with `tool-escalated`, even if the hook was
 * called before the turn was interrupted.
 */
export function onToolError(
  turn: FeatureTurn,
  list: readonly With<'onToolError'>[],
  callId?: string,
): Observable<TurnFact> {
  return fromAsync<TurnFact>(async (facts) => {
    for (const call of failedCalls(turn, callId)) {
      if (actedAt(turn, 'onToolError', call.id).length === 0 && list.length > 0) {
        const acts = await actsOf(turn, new HookCaller(turn, facts), list, errorOf(turn, call));
        facts.next(actedFact('onToolError', acts, [call.id]));
        if (facts.closed) return;
      }
      const acts = actedAt(turn, 'onToolError', call.id).flatMap((one) => one.acts);
      for (const act of acts) if (act.did === 'escalated') throw escalation(call, act.middleware, act.reason);
    }
  });
}

/** Returns the calls of the open round whose executors were called and did not do their work. */
function failedCalls({ current }: FeatureTurn, callId: string | undefined): readonly ToolCallView[] {
  return callsOf(current().liveTurn?.rounds.at(-1)).filter(
    (call) => (callId === undefined || call.id === callId) && hasFailed(call),
  );
}

function hasFailed({ result, rejection }: ToolCallView): boolean {
  if (result === undefined || rejection !== undefined) return false;
  return isErrorOutcome(result.outcome) && result.outcome !== 'interrupted';
}

async function actsOf(
  { ports }: FeatureTurn,
  caller: HookCaller,
  list: readonly With<'onToolError'>[],
  error: ToolError,
): Promise<readonly MiddlewareAct[]> {
  const acts: MiddlewareAct[] = [];
  for (const one of list) {
    const { name: middleware } = one;
    const result = await caller.call((context) => one.onToolError(error, context), readToolErrorVerdict);
    if ('failed' in result) {
      ports.reportError(result.error);
      acts.push({ middleware, did: 'failed', reason: result.failed });
    } else if (result.answer !== null)
      return [...acts, { middleware, did: 'escalated', reason: result.answer }];
  }
  return acts;
}

function errorOf({ tools, state, agent }: FeatureTurn, call: ToolCallView): ToolError {
  const { id, tool, ranWith, arguments: parsed, result } = call;
  const { capabilities = [], irreversible = false } = tools.get(tool) ?? {};
  const failures = state()
    .liveTurn!.rounds.flatMap(callsOf)
    .filter((one) => one.tool === tool && hasFailed(one));
  return deepFreeze({
    call: defined({
      id,
      tool,
      arguments: ranWith ?? (isJsonObject(parsed) ? parsed : {}),
      capabilities,
      irreversible,
      agent,
    }),
    outcome: result!.outcome as ToolFailed['outcome'],
    message: textOf(call),
    failures: failures.length,
  });
}

function textOf({ result }: ToolCallView): string {
  return result!.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/**
 * The cause contains the text of the tool's result. The value that the tool threw is not kept, so that the error is the same after a
 * reload.
 */
function escalation(call: ToolCallView, middleware: string, reason: string): AgentSessionError {
  const { id, tool } = call;
  return new AgentSessionError('tool-escalated', `${tool} failed: ${reason}`, {
    details: { tool, callId: id, middleware },
    cause: new Error(textOf(call)),
  });
}
