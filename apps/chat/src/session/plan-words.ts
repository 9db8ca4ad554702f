import { planOf, type Plan, type ShownStep } from '@banister/crew/plan';
import type { ChildTurn, ToolCallView, TurnPart } from '@banister/session';
import { labelOf } from '@banister/form';
import { releaseAgentIds, releaseAgents } from '../release/release-agents.js';
import { carryOutId } from '../release/release-planning.js';
import { visibleText } from '../text/visible-text.js';
import { isTakenBack } from './lanes.js';
import { planEdits } from './plan-edits.js';
import type { StepState, StepWords } from './step-words.js';

/** A step of a plan, as its row shows it. Safe to show. */
export interface PlanStepWords {
  /** The position and the id of the step, so that it is unique even if the model gave one id to two steps. */
  readonly id: string;
  readonly state: StepState;
  readonly title: string;
  /** The name of the agent; empty until it is written. */
  readonly agent: string;
  /** Distinguishes the agents of the page by a number from 1 on; 0 for an agent that is not of the page. */
  readonly agentNumber: number;
  /** What the step waits for, or why it does not run; empty if there is nothing to say. */
  readonly word: string;
  /** Whether the title is being written. */
  readonly isGrowing: boolean;
  /** The child turn that does the step; absent until it has begun. */
  readonly child?: ChildTurn;
}

/** A plan, as the rail shows it. Safe to show. */
export interface PlanWords {
  readonly state: StepState;
  /** How far it is: "2 of 5 steps". */
  readonly word: string;
  /** What the user changed before the approval; null if nothing was changed. */
  readonly edits: string | null;
  /** Why the plan was not carried out; null if there is nothing to explain. */
  readonly reason: string | null;
  readonly steps: readonly PlanStepWords[];
}

interface Circumstances {
  /** The words of the call, as for any call. */
  readonly call: StepWords;
  /** Whether the plan is being written. */
  readonly isCurrent: boolean;
  /** True if the turn was interrupted and waits, and if the turn has ended. */
  readonly isStill: boolean;
}

/** Returns whether a part of an answer is a call whose arguments are a plan. */
export function isPlan(part: TurnPart): boolean {
  return part.type === 'tool-call' && part.tool === carryOutId;
}

/** Returns the words of a plan; null for a call that has no plan. */
export function planWords(call: ToolCallView, circumstances: Circumstances): PlanWords | null {
  const plan = planOf(call);
  if (plan === null) return null;
  const { call: words } = circumstances;
  const isWriting = circumstances.isCurrent && call.state === 'assembling';
  return {
    state: isUndone(plan) ? 'undone' : words.state,
    word: plan.status === 'running' || words.state === 'done' ? progress(plan, words) : words.word,
    edits: planEdits(call),
    reason: words.reason,
    steps: plan.steps.map((step, index) =>
      stepOf(plan, step, {
        ...circumstances,
        isGrowing: isWriting && index === plan.steps.length - 1,
        index,
      }),
    ),
  };
}

/** Returns whether the steps had effects, and an undo has taken all of them back. */
function isUndone({ steps }: Plan): boolean {
  const changed = steps.flatMap(({ child }) =>
    child !== undefined && child.effects.length > 0 ? child : [],
  );
  return changed.length > 0 && changed.every(isTakenBack);
}

function progress({ status, steps }: Plan, { state, word }: StepWords): string {
  if (state === 'interrupted') return word;
  const done = steps.filter((step) => step.status === 'done').length;
  const count = `${done} of ${steps.length === 1 ? '1 step' : `${steps.length} steps`}`;
  return status === 'ended' ? `${count} done` : count;
}

function stepOf(
  plan: Plan,
  step: ShownStep,
  { isStill, isGrowing, index }: Circumstances & { readonly isGrowing: boolean; readonly index: number },
): PlanStepWords {
  const { title, agent, child } = step;
  const known = releaseAgentIds.find((id) => id === agent);
  return {
    id: `${index} ${step.id}`,
    title: visibleText(title),
    agent: known === undefined && isGrowing ? '' : visibleText(nameOf(agent)),
    agentNumber: known === undefined ? 0 : releaseAgentIds.indexOf(known) + 1,
    isGrowing,
    ...(child === undefined ? {} : { child }),
    ...stateOf(plan, step, isGrowing, isStill),
  };
}

function nameOf(agent: string): string {
  const known = releaseAgentIds.find((id) => id === agent);
  return (known && releaseAgents[known].agent.title) ?? labelOf(agent);
}

function stateOf(
  { status: plan, steps }: Plan,
  { status, after = [] }: ShownStep,
  isGrowing: boolean,
  isStill: boolean,
): { readonly state: StepState; readonly word: string } {
  const first = (isOpen: (step: ShownStep) => boolean) => {
    const found = steps.find((step) => after.includes(step.id) && isOpen(step));
    return found === undefined ? null : `“${visibleText(found.title)}”`;
  };
  switch (status) {
    case 'proposed': {
      const before = first(() => true);
      const state = isGrowing ? 'writing' : isStill ? 'unstarted' : 'ready';
      return { state, word: before === null ? '' : `after ${before}` };
    }
    case 'waiting': {
      if (isStill) return { state: 'unstarted', word: 'Not started' };
      const open = first((step) => step.status !== 'done');
      return { state: 'unstarted', word: open === null ? 'Waits' : `Waits for ${open}` };
    }
    case 'skipped': {
      const held = first((step) => step.status !== 'done');
      if (plan === 'declined') return { state: 'unstarted', word: '' };
      return { state: 'unstarted', word: held === null ? 'Skipped' : `Skipped: it follows ${held}` };
    }
    case 'failed':
      return { state: 'failed', word: 'Did not work' };
    default:
      return { state: 'running', word: '' };
  }
}
