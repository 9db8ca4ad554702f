import type { AgentSession, ChildTurn } from '@banister/session';
import { visibleText } from '../text/visible-text.js';
import { counted } from './counted.js';
import type { Cues } from './cues.js';
import type { StepState } from './step-words.js';

/** The work of an agent, as the head of its lane shows it. */
export interface LaneWords {
  readonly state: StepState;
  /** The name of the agent; for a step of a plan, the title of the step. */
  readonly title: string;
  /** Names the lane in the labels of its buttons. */
  readonly label: string;
  /** "Working", "Stopped · 4 taken back". */
  readonly status: string;
  readonly stopLabel: string;
  /** The name of the button that opens the field for a message to the agent. */
  readonly tellLabel: string;
  /** Whether it can be stopped alone, and told something. */
  readonly canStop: boolean;
}

interface Circumstances {
  /** Whether the user is asked about a call of the agent. */
  readonly isAsking: boolean;
  /** True if the turn was interrupted and waits, and if the turn has ended. */
  readonly isStill: boolean;
  /** The title of the step of a plan that the agent does, safe to show; absent outside of a plan. */
  readonly step?: string | undefined;
}

export function laneWords(child: ChildTurn, { isAsking, isStill, step }: Circumstances): LaneWords {
  const [state, status] = child.outcome === null ? running(child, isAsking, isStill) : ended(child);
  const agent = laneTitle(child);
  const label = step === undefined ? agent : `“${step}”`;
  const isRunning = child.outcome === null && !isStill;
  return {
    state,
    title: step ?? agent,
    label,
    status,
    stopLabel: `Stop ${label}`,
    tellLabel: step === undefined ? `Tell ${agent} something` : `Tell ${agent} about ${label}`,
    canStop: isRunning && child.phase !== 'cancelling',
  };
}

/** Returns the name of an agent, for the user. */
export function laneTitle({ title, agent }: Pick<ChildTurn, 'title' | 'agent'>): string {
  return visibleText(title ?? agent);
}

/** The buttons for the changes of one agent of an ended turn. */
export const undoWords = { undo: 'Undo', redo: 'Redo' } as const;

/** Returns the name under which the focus finds the head of a lane. */
export function laneFocus({ id }: Pick<ChildTurn, 'id'>): string {
  return `lane:${id}`;
}

/** Stops one agent. The others go on. The button goes, so the head of the lane takes the focus. */
export function stopLane(
  session: Pick<AgentSession, 'cancel'>,
  cues: Pick<Cues, 'focus'>,
  child: Pick<ChildTurn, 'id'>,
): void {
  cues.focus(laneFocus(child));
  void session.cancel({ child: child.id });
}

/** Returns whether the user is asked about a call of a child turn. Reads a signal. */
export function isAsking({ pendingConfirmations }: AgentSession, { id }: Pick<ChildTurn, 'id'>): boolean {
  return pendingConfirmations.value.some(({ agent }) => agent?.path.includes(id) === true);
}

type StateAndStatus = readonly [StepState, string];

function running({ phase }: ChildTurn, asks: boolean, isStill: boolean): StateAndStatus {
  if (asks) return ['waiting', 'Asking'];
  if (isStill) return ['interrupted', 'Interrupted'];
  return ['running', phase === 'cancelling' || phase === 'rolling-back' ? 'Stopping…' : 'Working'];
}

function ended(child: ChildTurn): StateAndStatus {
  const { status, effects, outcome } = child;
  const { done = [], failed = [], irreversible = [], lost = [] } = outcome?.report ?? {};
  const stays = failed.length + irreversible.length + lost.length;
  const back = [
    ...(done.length === 0 ? [] : [`${done.length} taken back`]),
    ...(stays === 0 ? [] : [`${stays} stays`]),
  ];
  switch (status) {
    case 'cancelled':
      return ['undone', ['Stopped', ...back].join(' · ')];
    case 'failed':
      return ['failed', ['Did not work', ...back].join(' · ')];
    default: {
      const word = status === 'stopped' ? 'Stopped early' : 'Completed';
      if (effects.length === 0) return ['read', word];
      if (isTakenBack(child)) return ['undone', `${word} · taken back`];
      return ['done', [word, ...changeWords(child)].join(' · ')];
    }
  }
}

function changeWords({ effects }: ChildTurn): readonly string[] {
  const final = effects.filter(({ irreversible }) => irreversible).length;
  const others = effects.length - final;
  return [
    ...(others === 0 ? [] : [counted(others, 'change')]),
    ...(final === 0 ? [] : [`${final} cannot be taken back`]),
  ];
}

/** Returns whether every call that had an effect has lost it again, by an undo. */
export function isTakenBack({ effects, rounds }: ChildTurn): boolean {
  const back = rounds
    .flatMap(({ parts }) => parts)
    .flatMap((part) => (part.type === 'tool-call' && part.reverted === true ? part.id : []));
  return effects.every(({ toolCallId }) => back.includes(toolCallId));
}
