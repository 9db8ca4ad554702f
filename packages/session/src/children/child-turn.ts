import type { Message } from '@banister/provider';
import type { Agent } from '../agents/agent.js';
import { findChild } from '../conversation/child-turns.js';
import { allCallsOf } from '../conversation/turn-record.js';
import type { AgentRef } from '../conversation/agent-ref.js';
import { AgentClock } from '../limits/agent-clock.js';
import { turnTime } from '../limits/turn-time.js';
import type { ChildFact, LeafFact } from '../operations/operation.js';
import { loadedHooks } from '../middleware/middleware-code.js';
import type { SpentState } from '../limits/spending.js';
import { asksOutput } from '../state/asks-output.js';
import { childState, recordOf } from '../state/child-state.js';
import { foldStateOf, sessionStateOf, type FoldState } from '../state/session-state.js';
import { Cancellation } from '../turn/cancellation.js';
import { noCalls, type FactSink, type Turn } from '../turn/turn-context.js';
import { turnOptions } from '../turn/turn-options.js';
import { childTools, mayRunChild } from './agent-settings.js';
import { withDelegateTool } from './delegate-tool.js';
import { ChildCalls, childExtensions, childRevisions, clockIn } from './child-parts.js';
import { ChildSpending } from './child-spending.js';
import { ChildTransaction } from './child-transaction.js';
import type { NextSettings, StructuredStages, TurnParts } from '../turn/turn-parts.js';
import { turnOf, type RunningChild, type Runs } from './runs.js';
import type { AnyRunOptions } from '../tools/run.js';

/** What a child turn is made of. */
export interface ChildRequest {
  /** The turn of the call. */
  readonly above: Turn;
  readonly callId: string;
  readonly agent: Agent;
  /** Its id, and its path. */
  readonly ref: AgentRef;
  readonly input: Message;
  readonly options: AnyRunOptions;
  readonly settings: NextSettings;
  /** The stages of the rounds that ask for its output; null if its run asks for none. */
  readonly structured: StructuredStages | null;
}

/** Returns the sink of a child turn: its facts are leaves in the log of the turn that the user sent. */
export function leafSink({ sink }: Pick<Turn, 'sink'>, path: readonly string[]): FactSink {
  return { emit: (fact) => sink.emit({ type: 'subagent', path, inner: fact as LeafFact as ChildFact }) };
}

/** Returns what a child turn has in common with the turn that the user sent. */
function sharedWith(root: Turn) {
  const { ports, history, host, journal, arguments: checker, undoStack, contextCache, readRevisions } = root;
  return { ports, history, host, journal, arguments: checker, undoStack, contextCache, readRevisions };
}

/**
 * Creates the turn of a child turn whose first fact was emitted. Its stages are the stages of any turn: what differs is what they read of
 * the state, where their facts go, and what their effects and their spending belong to.
 */
export function createChild(runs: Runs, request: ChildRequest, sink: FactSink): RunningChild['turn'] {
  const { root } = runs;
  const { agent, ref, input, options, settings, above } = request;
  const id = ref.child;
  const current = () => childState(root.current(), id);
  const { limits } = settings;
  const cancellation = new Cancellation();
  const { budget } = current();
  const time = turnTime(root.ports.clock, limits, budget.timeMs.spent);
  const running = new ChildCalls(above.running);
  // A cancel of the child turn alone is in the log.
  const isLeftToTurnAbove = () => above.cancellation.level !== null && !current().fold.turn?.cancel;
  const around = ref.path.slice(0, -1).map((above) => turnOf(runs, above));
  const clock = clockIn(
    [time, ...around.map((one) => one.time), root.time].map((one) => new AgentClock(one)),
  );
  const spending = new ChildSpending(above.spending, limits, time.timeoutMs, () =>
    spentBy(root.current(), id),
  );
  const turn: Omit<RunningChild['turn'], 'parts'> = {
    id,
    effectsOf: root.id,
    agent: ref,
    input,
    parentId: null,
    retryOf: undefined,
    options: turnOptions(options),
    structured: undefined,
    settings,
    ...sharedWith(root),
    cancellation,
    state: () => sessionStateOf(childState(foldStateOf(root.state()), id)),
    current,
    tools: toolsOf(runs, agent, ref.path),
    discovery: null,
    sink,
    time,
    clock,
    spending,
    transaction: new ChildTransaction(root.transaction, {
      effectsOf: root.id,
      running,
      current,
      isLeftToTurnAbove,
      takesBack: (callIds, work) => takenBack(child, callIds, work),
    }),
    wasPutDown: false,
    revisions: childRevisions(root.revisions, current),
    running,
    unstarted: new Set(),
    executing: noCalls,
  };
  const child = turn as RunningChild['turn'];
  return Object.assign(child, { parts: childParts(child, spending, runs, request) });
}

/** Returns the tools of an agent. Its model may delegate tasks if the turn permits child turns inside it. */
export function toolsOf({ root, tools }: Runs, agent: Agent, path: readonly string[]): Turn['tools'] {
  const own = childTools(tools, agent);
  return mayRunChild(root.settings.limits, path) ? delegating(root, own) : own;
}

/**
 * Returns the loader of the middleware of a child turn. If the log holds decisions of middleware, it loads the stages that carry them out
 * even if the session has no middleware now.
 */
function hooksOf({ hooks }: NextSettings, { turn }: FoldState['fold']): NextSettings['hooks'] {
  return hooks ?? (turn?.round?.acted ? loadedHooks([]) : null);
}

/** Makes the parts of a child turn. It shares the child turns, the gate and the extensions of the turn that the user sent. */
function childParts(
  child: Turn,
  spending: ChildSpending,
  { makeParts, root }: Runs,
  { above, callId, settings, structured }: ChildRequest,
): TurnParts {
  const { children, extensions } = root.parts;
  return {
    ...makeParts({ ...settings, hooks: hooksOf(settings, child.current().fold) }, null)(child),
    get structured() {
      return structured !== null && asksOutput(child.current()) ? structured : null;
    },
    review: null,
    extensions: extensions && childExtensions(extensions, child, spending),
    gate: above.parts.gate!.forChild(child, callId),
    children,
  };
}

/** Returns what a child turn has spent. Its spending is read often, so this does not make the whole view of the child turn. */
function spentBy(state: FoldState, id: string): SpentState {
  const notes = state.fold.turn?.children?.[id];
  if (notes === undefined) return childState(state, id);
  const { budget, usage } = recordOf(state, notes);
  return { budget, lastUsageReport: usage, totals: state.totals, fold: { turn: notes.turn } };
}

/** Takes the effects of calls back while no other agent runs a call that excludes one of them. */
export function takenBack<R>(
  child: Pick<Turn, 'current' | 'tools'> & { readonly parts: Pick<TurnParts, 'gate'> },
  callIds: readonly string[],
  work: () => Promise<R>,
): Promise<R> {
  const views = allCallsOf(child.current().liveTurn).filter(({ id }) => callIds.includes(id));
  const calls = views.flatMap(({ id, tool: name, ranWith, arguments: args }) => {
    const tool = child.tools.kept.get(name);
    return tool ? [{ id, tool, value: ranWith ?? args }] : [];
  });
  return calls.length === 0 ? work() : child.parts.gate!.takingBack(calls, work);
}

/** Returns the tools of a turn whose model may delegate tasks. */
export function delegating({ parts, current }: Turn, tools: Turn['tools']): Turn['tools'] {
  return withDelegateTool(tools, parts.agents, (id) => findChild(current(), id));
}
