import { concat, defer, EMPTY, of, type Observable } from 'rxjs';
import type { ToolCallView } from '../conversation/turn-record.js';
import type { TurnFact } from '../operations/operation.js';
import { requestedCall, requestedIn } from '../state/round-calls.js';
import type { Tool } from '../tools/tool.js';
import { batchCall, type BatchCall } from './batch-call.js';
import { interruptedFact } from './interrupted-fact.js';
import { answeredRound, closeRound } from './round.js';
import { decideAndRun, notRun, stopOf } from './tool-batch.js';
import { isStopped, type Turn } from './turn-context.js';

/**
 * Takes up the tool calls of an open round, and closes the round. Settled calls keep their results. A call whose executor was called
 * follows the policy of its tool. The others are checked and guarded once more, and a decision of the user stands.
 */
export function resumeBatch(turn: Turn): Observable<TurnFact> {
  const calls = requestedIn(turn.current());
  if (calls.every(({ state }) => state === 'assembling')) return answeredRound(turn);
  return concat(
    ...calls.flatMap((call) => policyFact(turn, call)),
    defer(() => openCalls(turn)),
    defer(() => closeRound(turn)),
  );
}

/** Returns the decision about a call that ran, where it needs no answer of the user. */
function policyFact(turn: Turn, call: ToolCallView): readonly Observable<TurnFact>[] {
  if (call.state !== 'interrupted') return [];
  const policy = policyOf(turn, call);
  if (policy === 'ask') return [];
  return [of(interruptedFact(call.id, policy === 'safe' ? 'rerun' : 'unknown'))];
}

/** Returns whether the executor of a call may be called again. That of a tool which is not registered any more cannot be. */
function policyOf({ tools }: Pick<Turn, 'tools'>, { tool }: ToolCallView): NonNullable<Tool['replay']> {
  return tools.get(tool)?.replay ?? 'never';
}

/** Decides and runs the calls that have no result. */
function openCalls(turn: Turn): Observable<TurnFact> {
  const views = requestedIn(turn.current());
  const open = views.filter(({ state }) => state !== 'settled');
  if (open.length === 0) return EMPTY;
  const hasBegun = views.some(({ state, rejection }) => state === 'settled' && rejection === undefined);
  const calls = open.map((view) => resumedCall(turn, view, hasBegun));
  if (stopOf(turn) !== null || isStopped(turn)) return notRun(calls, 'Not run: the turn was stopped.');
  return decideAndRun(turn, calls);
}

/** @param hasBegun whether a call of the batch has run: then all of them were decided */
function resumedCall(turn: Turn, view: ToolCallView, hasBegun: boolean): BatchCall {
  const { approved = {} } = turn.current().fold.turn?.round ?? {};
  const isInterrupted = view.state === 'interrupted';
  const confirm = { guard: 'handrail.replay', reason: `${view.tool} was interrupted. Run it again?` };
  return {
    ...batchCall(requestedCall(view)),
    isDecided: hasBegun || isInterrupted || view.id in approved,
    isInterrupted,
    edited: view.ranWith ?? approved[view.id] ?? null,
    confirm: isInterrupted ? confirm : null,
  };
}
