import type { Message } from '@banister/provider';
import type { Agent } from '../agents/agent.js';
import { allCallsOf } from '../conversation/turn-record.js';
import type { AgentRef } from '../conversation/agent-ref.js';
import { AgentClock } from '../limits/agent-clock.js';
import { turnTime } from '../limits/turn-time.js';
import type { ChildFact, LeafFact } from '../operations/operation.js';
import { childState } from '../state/child-state.js';
import { loadedHooks } from '../middleware/middleware-code.js';
import { foldStateOf, sessionStateOf, type FoldState } from '../state/session-state.js';
import { Cancellation } from '../turn/cancellation.js';
import { noCalls, type FactSink, type Turn } from '../turn/turn-context.js';
import type { NextSettings } from '../turn/turn-parts.js';
import { agentTools } from './agent-tools.js';
import { agentSettings } from './agent-settings.js';
import { ChildCalls, childExtensions, childRevisions, clockIn } from './child-parts.js';
import { ChildSpending } from './child-spending.js';
import { ChildTransaction } from './child-transaction.js';
import type { Runs } from './runs.js';
import type { RunOptions } from '../tools/run.js';

/** What a child turn is made of. */
export interface ChildRequest {
  /** The turn of the call. */
  readonly above: Turn;
  readonly callId: string;
  readonly agent: Agent;
  /** Its id, and its path. */
  readonly ref: AgentRef;
  readonly input: Message;
  readonly options: RunOptions<unknown>;
}

/** Returns the sink of a child turn: its facts are leaves in the log of the turn that the user sent. */
export function leafSink({ sink }: Pick<Turn, 'sink'>, path: readonly string[]): FactSink {
  return { emit: (fact) => sink.emit({ type: 'subagent', path, inner: fact as LeafFact as ChildFact }) };
}

/** Returns the loader of the middleware. Decisions that hooks made in an earlier session are carried out even without middleware. */
function hooksOf({ hooks }: NextSettings, { turn }: FoldState['fold']): NextSettings['hooks'] {
  return hooks ?? (turn?.round?.acted ? loadedHooks([]) : null);
}

/**
 * Creates the turn of a child turn whose first fact was emitted. Its stages are the stages of any turn: what differs is what they read of
 * the state, where their facts go, and what their effects and their spending belong to.
 */
export function createChild({ root, makeParts }: Runs, request: ChildRequest, sink: FactSink): Turn {
  const { above, callId, agent, ref, input, options } = request;
  const { ports, host, journal, arguments: checker, undoStack, contextCache, readRevisions } = root;
  const id = ref.child;
  const current = () => childState(root.current(), id);
  const settings = agentSettings(above, agent, options.limits);
  const { limits } = settings;
  const cancellation = new Cancellation();
  const { budget, fold } = current();
  const time = turnTime(ports.clock, limits, budget.timeMs.spent);
  const running = new ChildCalls(root.running);
  // A cancel of the child turn alone is in the log.
  const isLeftToTurnAbove = () => above.cancellation.level !== null && !current().fold.turn?.cancel;
  const clock = clockIn([new AgentClock(time), new AgentClock(root.time)]);
  const spending = new ChildSpending(above.spending, limits, time.timeoutMs, current);
  const turn: Omit<Turn, 'parts'> = {
    id,
    effectsOf: root.id,
    agent: ref,
    input,
    parentId: null,
    retryOf: undefined,
    options: options.directives && { directives: options.directives },
    structured: undefined,
    settings,
    ports,
    history: root.history,
    cancellation,
    state: () => sessionStateOf(childState(foldStateOf(root.state()), id)),
    current,
    host,
    journal,
    arguments: checker,
    undoStack,
    contextCache,
    readRevisions,
    tools: agentTools(root.tools, agent),
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
      takesBack: (id, work) => takenBack(child, id, work),
    }),
    wasPutDown: false,
    revisions: childRevisions(root.revisions, current),
    running,
    unstarted: new Set(),
    executing: noCalls,
  };
  const child = turn as Turn;
  const parts = makeParts({ ...settings, hooks: hooksOf(settings, fold) }, null)(child);
  const extensions = root.parts.extensions && childExtensions(root.parts.extensions, child, spending);
  const gate = above.parts.gate!.forChild(child, callId);
  return Object.assign(child, {
    parts: { ...parts, extensions, review: null, children: root.parts.children, gate },
  });
}

/** Takes the effects of a call back while no other agent runs a call that excludes it. */
function takenBack<R>(child: Turn, callId: string, work: () => Promise<R>): Promise<R> {
  const view = allCallsOf(child.current().liveTurn).find(({ id }) => id === callId);
  const tool = view && child.tools.kept.get(view.tool);
  if (tool === undefined) return work();
  return child.parts.gate!.takingBack({ id: callId, tool, value: view!.ranWith ?? view!.arguments }, work);
}
