import type { AttachedInput, Input, Message } from '@banister/provider';
import { AgentSessionError } from '@banister/provider/internal/errors/agent-session-error';
import { cancelledError } from '@banister/provider/internal/errors/cancelled-error';
import { checked, refusal } from '@banister/provider/internal/errors/checked';
import { fromErrorData } from '@banister/provider/internal/errors/to-session-error';
import { defined } from '@banister/provider/internal/json/defined';
import { sameJson } from '@banister/provider/internal/json/same-json';
import {
  any,
  filled,
  func,
  having,
  list,
  oneOf,
  only,
  optional,
} from '@banister/provider/internal/json/shape';
import { Subscription } from 'rxjs';
import type { Agent } from '../agents/agent.js';
import { childrenOf } from '../conversation/child-turns.js';
import { readInput } from '../conversation/read-user-input.js';
import type { ChildTurn } from '../conversation/turn-record.js';
import { deferred } from '../operations/deferred.js';
import { limitsData, untouchedBudget } from '../limits/limits.js';
import { isTerminal, type TurnFact } from '../operations/operation.js';
import { askedOutput, type AskedOutput } from '../structured/output-options.js';
import { childState, recordOf } from '../state/child-state.js';
import { interruptionOf } from '../state/interruption.js';
import type { ChildNotes } from '../state/turn-notes.js';
import type { AnyRunOptions, AnyRunResult } from '../tools/run.js';
import { resumeTurn } from '../turn/resume-turn.js';
import { runStages } from '../turn/run-stages.js';
import { runTurn } from '../turn/turn.js';
import type { FactSink, Turn } from '../turn/turn-context.js';
import { turnOptions } from '../turn/turn-options.js';
import type { CancelLevels } from '../turn/cancellation.js';
import type { CallOfRuns, NextSettings } from '../turn/turn-parts.js';
import { childSettings, mayRunChild } from './agent-settings.js';
import { outputStages, requestedOutput, withOutput } from './child-output.js';
import { removeMessages } from './end-children.js';
import { createChild, leafSink, toolsOf, type ChildRequest } from './child-turn.js';
import { warnOfDefaults } from './default-limits.js';
import { gateOf } from './turn-gate.js';
import { childrenOfCall, isSameKey, takeBackEnded, type RunKey } from './replaced-child.js';
import { failedResult, resultOf } from './run-result.js';
import { turnOf, type RunningChild, type Runs } from './runs.js';

export { delegating } from './child-turn.js';
export { replacedLines } from './replaced-child.js';

const optionsShape = only({
  key: optional(filled),
  thread: optional(filled),
  reads: optional(oneOf('nothing', 'conversation')),
  // `askedOutput` checks the value of `output`, and `childSettings` checks the values of `limits`.
  output: any,
  limits: any,
  directives: optional(list(filled)),
  signal: optional(having({ addEventListener: func, removeEventListener: func })),
});

/** What a call asks for with a run. */
interface AskedRun extends RunKey {
  readonly agentId: string;
  readonly parts: Message['parts'];
  readonly options: AnyRunOptions;
  /** null if the result is text. */
  readonly output: AskedOutput | null;
}

/** A run that has begun. */
interface Begun {
  readonly result: Promise<AnyRunResult>;
}

/**
 * Runs a child turn inside a call, see `ToolContext.run`. The runs of a call begin in the order of their calls, so that their records have
 * this order.
 */
export async function runChild(
  runs: Runs,
  call: CallOfRuns,
  agentId: string,
  input: Input,
  options: AnyRunOptions,
): Promise<AnyRunResult> {
  checked(optionsShape, options, 'The options of a run');
  // The call may have been cut while this code was loaded.
  if (!call.isRunning()) throw cancelledError();
  const key = keyOf(call, options);
  const output = options.output === undefined ? null : askedOutput(options.output, 'The output of a run');
  const asked = { ...key, agentId, parts: readInput(ownInput(input)), options, output };
  const run = () => begin(runs, call, asked);
  const next = call.begun.last?.then(run) ?? run();
  call.begun.last = next.catch(() => {});
  return (await next).result;
}

/** Finds the child turn of a run in the log, or starts it. */
async function begin(runs: Runs, call: CallOfRuns, asked: AskedRun): Promise<Begun> {
  const { root } = runs;
  const { agentId, options, output } = asked;
  assertRuns(runs, call, options);
  const above = turnOf(runs, call.turnId);
  const agent = root.parts.agents.find(({ id }) => id === agentId);
  const known = childrenOfCall(root, call.callId).findLast((child) => isSameKey(child, asked));
  const isKnown = known !== undefined && isSame(known, asked);
  // A child turn that has ended needs no agent any more.
  if (isKnown && known.status !== 'running') return { result: endOf(root, known, agent, output) };
  if (agent === undefined) throw refusal(`There is no agent "${agentId}".`);
  const settings = settingsOf(root, agent, options);
  const around = above.agent?.path ?? [];
  const path = isKnown ? around : Object.freeze([...around, root.ports.ids.next('turn')]);
  const requested = isKnown ? known.structured : requestedOutput(toolsOf(runs, agent, path), output);
  const structured = requested ? await outputStages(root, settings.provider, requested, output!) : null;
  if (!isKnown && known?.status === 'running') await abandonChild(runs, known);
  else if (!isKnown && known !== undefined) await takeBackEnded(runs, above, call, known);
  assertRuns(runs, call, options);
  const child = { agent, options, output, settings, structured };
  if (isKnown) return { result: resumed(runs, above, known, child) };
  assertFree(root, agentId, options.thread);
  const { limits } = root.settings;
  const failure = !mayRunChild(limits, around)
    ? failedResult('max-depth', limits.maxDepth)
    : childrenOf(root.current().liveTurn!).length >= limits.maxChildren
      ? failedResult('max-children', limits.maxChildren)
      : undefined;
  return { result: failure ? Promise.resolve(failure) : started(runs, above, call, asked, path, child) };
}

/** Throws `cancelled` if a run may not begin any more. */
function assertRuns(runs: Runs, call: CallOfRuns, { signal }: AnyRunOptions): void {
  const isCut = !call.isRunning() || turnOf(runs, call.turnId).cancellation.level !== null;
  if (isCut || signal?.aborted) throw cancelledError();
}

/** Throws `invalid-configuration` if a child turn of the agent in this thread has not ended, because the next one has to read its messages. */
function assertFree({ current }: Turn, agentId: string, thread: string | undefined): void {
  if (thread === undefined) return;
  const isOpen = ({ status, agent, thread: name }: ChildTurn) =>
    status === 'running' && agent === agentId && name === thread;
  if (childrenOf(current().liveTurn!).some(isOpen))
    throw refusal(`The agent "${agentId}" is still working in the thread "${thread}".`);
}

/**
 * Returns the key of a run, and notes it. Throws `invalid-configuration` for a key that the call has used. The number of a run is no key of
 * the app, even if the app gives the same text.
 */
function keyOf({ begun: { keys } }: CallOfRuns, { key: given }: AnyRunOptions): RunKey {
  const key = given ?? String(keys.length + 1);
  const noted = given === undefined ? key : `=${key}`;
  if (keys.includes(noted)) throw refusal(`The call has already run an agent with the key "${key}".`);
  keys.push(noted);
  return given === undefined ? { key } : { key, given: true };
}

/** Returns the input of a run. Files have to be read before, so a run takes texts and images. */
function ownInput(input: Input): AttachedInput {
  if (typeof input === 'object' && (input.files?.length ?? 0) > 0)
    throw new AgentSessionError('unsupported', 'The input of an agent has no files.');
  return input as AttachedInput;
}

/** Returns true if a child turn of the log is the one that the call runs again: a key belongs to an agent, an input and an output. */
function isSame({ agent, input, structured }: ChildTurn, { agentId, parts, output }: AskedRun): boolean {
  const isSameInput = agent === agentId && JSON.stringify(input.parts) === JSON.stringify(parts);
  return isSameInput && sameJson(structured?.schema ?? null, output?.schema ?? null);
}

/** What a child turn of a run is made of. */
interface OwnParts extends Pick<ChildRequest, 'agent' | 'options' | 'settings' | 'structured'> {
  readonly output: AskedOutput | null;
}

function started(
  runs: Runs,
  above: Turn,
  { callId }: CallOfRuns,
  { key, given, parts }: AskedRun,
  path: readonly string[],
  child: OwnParts,
): Promise<AnyRunResult> {
  const { root } = runs;
  const { agent, options, settings, structured } = child;
  const id = path.at(-1)!;
  const input: Message = { id: root.ports.ids.next('message'), role: 'user', parts };
  const { limits, provider } = settings;
  warnOfDefaults(root.host, root.settings.limits);
  // From now on effects may be taken back while the turn goes on.
  root.transaction.keepForEnd();
  leafSink(root, path).emit(
    defined({
      type: 'turnStarted',
      input,
      limits: limitsData(limits),
      provider: { id: provider.id, model: provider.model },
      budget: untouchedBudget(limits),
      options: turnOptions(options),
      structured: structured?.requested,
      agent: agent.id,
      title: agent.title,
      callId,
      key,
      given,
      thread: options.thread,
      reads: options.reads === 'conversation' ? options.reads : undefined,
    }),
  );
  const ref = defined({ id: agent.id, title: agent.title, child: id, path });
  return carryOut(runs, { above, callId, ref, input, ...child }, runTurn);
}

/** Goes on with a child turn of the log at the point of its interruption. */
function resumed(
  runs: Runs,
  above: Turn,
  known: ChildTurn,
  child: OwnParts,
  by: 'resume' | 'abandon' = 'resume',
): Promise<AnyRunResult> {
  const { root } = runs;
  const { id, title } = child.agent;
  const { path, callId } = root.current().fold.turn!.children![known.id]!;
  const state = childState(root.current(), known.id);
  const interruption = interruptionOf(state)!;
  root.transaction.keepForEnd();
  const ref = defined({ id, title, child: known.id, path });
  leafSink(root, path).emit({ type: 'turnResumed', by });
  return carryOut(runs, { above, callId, ref, input: known.input, ...child }, (turn) => {
    const cancel = turn.current().fold.turn?.cancel ?? null;
    if (cancel !== null) turn.cancellation.raise(cancel.level, cancel.sideEffects);
    return resumeTurn(turn, interruption, by);
  });
}

/** Returns the settings of a child turn. Throws before the first fact of the child turn for a wrong limit of the run. */
function settingsOf({ settings, parts }: Turn, agent: Agent, options: AnyRunOptions): NextSettings {
  return childSettings({ ...settings, ...parts }, agent, options);
}

/**
 * Ends the open child turns of a call of an earlier session that are not run again, one after the other, and takes back what they did.
 *
 * @param runsAgain whether the call runs its agents again, of which the session may lack some
 */
export async function abandonLost(
  runs: Runs,
  ofCall: readonly ChildNotes[],
  runsAgain: boolean,
): Promise<void> {
  const { agents } = runs.root.parts;
  for (const notes of ofCall) {
    const child = recordOf(runs.root.current(), notes);
    if (!runsAgain || !agents.some(({ id }) => id === child.agent)) await abandonChild(runs, child);
  }
}

/** Ends an open child turn of an earlier session, and takes back what it did. */
async function abandonChild(runs: Runs, child: ChildTurn): Promise<void> {
  const above = runs.root.current().fold.turn!.children![child.id]!.path.at(-2);
  // The settings of an agent that the session lacks are not needed: nothing more is asked.
  const agent: Agent = { id: child.agent, title: child.title, role: '' };
  const settings = settingsOf(runs.root, agent, {});
  const parts = { agent, options: {}, output: null, settings, structured: null };
  await resumed(runs, turnOf(runs, above ?? runs.root.id), child, parts, 'abandon');
}

/** Runs the stages of a child turn. Resolves with its result. */
function carryOut(
  runs: Runs,
  request: ChildRequest & OwnParts,
  stagesOf: typeof runTurn,
): Promise<AnyRunResult> {
  const { root, open } = runs;
  const { above, callId, ref, options, agent, output } = request;
  const { child: id } = ref;
  // A subscriber may have ended or left the turn at the first leaf.
  if (root.host.isLeft || root.current().fold.turn?.children?.[id] === undefined) throw cancelledError();
  const result = deferred<AnyRunResult>();
  const pipeline = new Subscription();
  const leaves = leafSink(root, ref.path);
  const emit = (fact: TurnFact) => {
    if (!open.has(id)) return;
    if (isTerminal(fact)) {
      open.delete(id);
      removeMessages(root, id);
    }
    leaves.emit(fact);
    if (!isTerminal(fact)) return;
    const record = childrenOfCall(root, callId).find((child) => child.id === id);
    // A subscriber may have ended the turn at the last leaf.
    if (record === undefined) result.reject(cancelledError());
    else result.resolve(endOf(root, record, agent, output));
    pipeline.unsubscribe();
  };
  gateOf(root);
  const sink: FactSink = { emit };
  const turn = createChild(runs, request, sink);
  const child: RunningChild = {
    turn,
    callId,
    provider: turn.settings.provider,
    ended: new Promise<void>((ended) => pipeline.add(ended)),
    cancel: (levels) => cancelChild(turn, levels),
    stop: () => {
      result.reject(cancelledError());
      pipeline.unsubscribe();
    },
  };
  open.set(id, child);
  pipeline.add(follow(turn, above));
  pipeline.add(cancelledBy(options.signal, turn));
  pipeline.add(() => turn.parts.consent.ended());
  // A part of the clock that is held for ever is no part of it.
  pipeline.add(() => void turn.clock.hold());
  pipeline.add(runStages(turn, sink, stagesOf));
  return result.promise;
}

/** Resolves with the result of a child turn that has ended. Rejects if middleware of the session has ended it: the turn above ends too. */
async function endOf(
  root: Turn,
  child: ChildTurn,
  agent: Agent | undefined,
  output: AskedOutput | null,
): Promise<AnyRunResult> {
  const result = resultOf(child);
  const { error } = result;
  const isOwn = agent?.middleware?.some(({ name }) => name === error?.details?.['middleware']);
  if (error?.code === 'tool-escalated' && !isOwn) throw fromErrorData(error);
  return output === null ? result : withOutput(root, child, result, output);
}

/** Cancels a child turn alone. Has no effect after it has begun to commit or to roll back. */
function cancelChild({ cancellation, current, sink }: Turn, options: CancelLevels): void {
  const fact = cancellation.request(options, current().phase);
  if (fact === null) return;
  sink.emit(fact);
  cancellation.notify();
}

/** Passes each cancel of the turn above on. Returns a function that ends this. */
function follow({ cancellation }: Turn, { cancellation: above }: Turn): () => void {
  // A subscriber may have cancelled the turn at the first leaf.
  if (above.level !== null) cancellation.raise(above.level, above.sideEffects);
  let stop = above.onCancelled(passOn);
  function passOn() {
    cancellation.raise(above.level!, above.sideEffects);
    stop = above.onCancelled(passOn);
    cancellation.notify();
  }
  return () => stop();
}

/** Aborts a child turn when the signal of its run fires. Returns a function that ends this. */
function cancelledBy(signal: AbortSignal | undefined, turn: Turn): () => void {
  const abort = () => cancelChild(turn, { immediate: true });
  signal?.addEventListener('abort', abort, { once: true });
  return () => signal?.removeEventListener('abort', abort);
}
