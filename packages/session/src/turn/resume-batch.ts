import type { JsonObject } from '@banister/provider';
import { sameJson } from '@banister/provider/internal/json/same-json';
import * as told from '../conversation/model-words.js';
import { named } from '../conversation/tool-id.js';
import type { ToolCallView } from '../conversation/turn-record.js';
import type { ConfirmationRequest } from '../consent/confirmation-operations.js';
import { guardQuestionOf } from '../operations/guard-question.js';
import type { TurnFact } from '../operations/operation.js';
import { unknownCalls } from '../state/interruption.js';
import { batchOf, requestedCall, requestedIn } from '../state/round-calls.js';
import type { Tool } from '../tools/tool.js';
import { batchCall, refusalOf, reject, type BatchCall } from './batch-call.js';
import type { Stage } from './concat.js';
import { hooked } from './doors.js';
import { importedQuestion } from './imported-question.js';
import { interruptedFact } from './interrupted-fact.js';
import { recoverCall, type RecoveredExecutor } from './recover-call.js';
import { answeredRound, endRound } from './round.js';
import { decideAndRun, notRun, stopOf } from './tool-batch.js';
import { isStopped, type Turn } from './turn-context.js';

/**
 * Goes on with the tool calls of an open round, and closes the round. Settled calls keep their results. For a call whose executor was
 * called, the policy of its tool decides. The other calls are checked and guarded again, and a decision of the user stays valid.
 */
export function resumeBatch(turn: Turn): Stage {
  const unknown = unknownCalls(turn.current());
  const recovered = new Map<string, RecoveredExecutor>();
  return [
    hooked(turn, ({ afterResponse }) => afterResponse(turn)),
    hooked(turn, ({ onToolError }) => onToolError(turn)),
    () =>
      requestedIn(turn.current()).map((call): Stage => [
        () => turn.parts.children.abandoned(call.id, runsAgain(turn, call)) ?? [],
        decided(turn, call, recovered),
      ]),
    () => openCalls(turn, unknown, recovered),
    // A call that was to run again may have been refused.
    () =>
      requestedIn(turn.current()).map(
        ({ id }) =>
          () =>
            turn.parts.children.abandoned(id, false) ?? [],
      ),
    () => (wasRequested(turn) ? endRound(turn) : answeredRound(turn)),
  ];
}

/**
 * Returns true if the log has the request of the batch. After an interrupted answer there is no batch, only the calls inside the answer.
 */
function wasRequested({ current }: Pick<Turn, 'current'>): boolean {
  const isWhole = (current().fold.turn?.round?.finish ?? null) !== null;
  return !isWhole || batchOf(current()).some(({ state }) => state !== 'assembling');
}

/** Decides about a call. If its tool knows whether the call ran, that decides; otherwise the policy of the tool decides. */
function decided(turn: Turn, view: ToolCallView, recovered: Map<string, RecoveredExecutor>): Stage {
  const policy = () => decidedFact(turn, view);
  const isKnown = turn.tools.get(view.tool)?.tool.recover !== undefined && !view.hosted;
  if (view.state !== 'interrupted' || !isKnown || isOver(turn) || policyOf(turn, view) === 'safe')
    return policy;
  return recoverCall(
    turn,
    resumedCall(turn, view, { hasBegun: true, mayHaveActed: true }),
    (found, executor) => {
      if (found === 'unknown') return decidedFact(turn, view)[0] ?? null;
      if (found !== 'not-run') recovered.set(view.id, executor);
      return interruptedFact(view.id, 'rerun');
    },
  );
}

/**
 * Returns the fact that gives a call its result, or lets it run again. Returns no fact if the log has no decision about the call, or if the
 * user has to be asked.
 */
function decidedFact(turn: Turn, call: ToolCallView): readonly TurnFact[] {
  const refusal = turn.current().fold.turn?.round?.refused[call.id];
  if (call.state === 'waiting' && refusal !== undefined)
    return [reject(batchCall(requestedCall(call)), ...refusalOf(refusal))];
  if (call.state !== 'interrupted') return [];
  const policy = isOver(turn) ? 'never' : policyOf(turn, call);
  if (policy === 'ask') return [];
  return [interruptedFact(call.id, policy === 'safe' ? 'rerun' : 'unknown')];
}

/** Returns whether the executor of a call may be called again. For a tool that is not registered any more the policy is `never`. */
function policyOf(
  { tools }: Pick<Turn, 'tools'>,
  { tool, hosted }: ToolCallView,
): NonNullable<Tool['replay']> {
  // The answer is requested again, and the tool of the provider has not run yet.
  if (hosted) return 'safe';
  return tools.get(tool)?.replay ?? 'never';
}

/** Returns true if the executor of an interrupted call is called again without a question, so that its child turns go on. */
function runsAgain(turn: Turn, call: ToolCallView): boolean {
  return !isOver(turn) && policyOf(turn, call) === 'safe';
}

/** Returns true if no call of the batch may run, because the answer or a tool of the batch stops the turn. */
function isOver(turn: Turn): boolean {
  return stopOf(turn) !== null || isStopped(turn);
}

/**
 * Decides about the calls that were requested and have no result, and runs them.
 *
 * @param unknown ids of the calls that may have acted
 * @param recovered the executors to use for the calls that have already run, by call id
 */
function openCalls(
  turn: Turn,
  unknown: readonly string[],
  recovered: ReadonlyMap<string, RecoveredExecutor>,
): Stage {
  const views = requestedIn(turn.current()).filter(({ state }) => state !== 'assembling');
  const open = views.filter(({ state }) => state !== 'settled');
  if (open.length === 0) return [];
  const hasBegun = views.some(({ state, rejection }) => state === 'settled' && rejection === undefined);
  const calls = open.map((view) => ({
    ...resumedCall(turn, view, { hasBegun, mayHaveActed: unknown.includes(view.id) }),
    recovered: recovered.get(view.id),
  }));
  if (isOver(turn)) return notRun(calls, told.stopped);
  return decideAndRun(turn, calls);
}

/** @param past `hasBegun`: a call of the batch has run, so all its calls had been decided */
function resumedCall(
  turn: Turn,
  view: ToolCallView,
  { hasBegun, mayHaveActed }: { readonly hasBegun: boolean; readonly mayHaveActed: boolean },
): BatchCall {
  const { current } = turn;
  const { approved = {}, imported = false } = current().fold.turn?.round ?? {};
  const asksForRerun = view.state === 'interrupted';
  const isInterrupted = asksForRerun || mayHaveActed;
  const confirm = {
    guard: 'banister.replay',
    reason: `${named(view)} was interrupted. Run it again?`,
    because: { code: 'rerun' },
  } as const;
  const open = current().pendingConfirmations.find(({ call }) => call.id === view.id);
  const call = batchCall(requestedCall(view));
  // For a call that begins now, a grant allows it only if the grant is still valid, so the call is decided again. A tool of the provider
  // begins only with the next request.
  const isAllowed = view.grant !== undefined;
  const isDecided =
    view.id in approved ||
    (!imported && ((hasBegun && !isAllowed) || (isInterrupted && !(isAllowed && view.hosted))));
  const question = imported ? importedQuestion(view.tool) : call.confirm;
  return {
    ...call,
    isDecided,
    isInterrupted,
    asksForRerun,
    edited: editOf(turn, view),
    confirm: asksForRerun ? confirm : (questionOf(open) ?? (isDecided ? null : question)),
  };
}

/**
 * Returns the arguments that the user edited; null if there are none. Arguments that a middleware replaced are not returned, because the
 * middleware replaces them again.
 */
function editOf({ current }: Pick<Turn, 'current'>, { id, ranWith }: ToolCallView): JsonObject | null {
  const { approved = {}, acted = [] } = current().fold.turn?.round ?? {};
  const replaced = acted
    .flatMap(({ acts }) => acts)
    .findLast((act) => act.did === 'replaced' && act.callId === id);
  const isReplaced = replaced?.did === 'replaced' && sameJson(replaced.arguments, ranWith);
  return (isReplaced ? undefined : ranWith) ?? approved[id] ?? null;
}

/**
 * Returns the question of an open request. It is asked again, even if the guards return another verdict today. The question about a
 * provider's tool may get a cost.
 */
function questionOf(open: ConfirmationRequest | undefined): BatchCall['confirm'] {
  return open === undefined ? null : guardQuestionOf(open);
}
