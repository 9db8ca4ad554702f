import { textOf, type QueueItem, type TurnRecord } from '@banister/session';
import { readTaskEnd, type Task, type ToldEnd } from '@banister/crew/tasks';
import { counted } from '../session/counted.js';
import type { StepState } from '../session/step-words.js';
import { visibleText } from '../text/visible-text.js';
import { helper } from './helper-agent.js';

/** The end of a task, as a row on the rail. */
export interface TaskEndWords {
  readonly state: StepState;
  readonly title: string;
  /** The title of the task. */
  readonly task: string;
  readonly word: string;
}

/**
 * Returns the words for the end of a task.
 *
 * @param isUndone whether the user has taken back what the task changed
 */
export function taskEndWords({ input }: Pick<TurnRecord, 'input'>, isUndone: boolean): TaskEndWords {
  const told = readTaskEnd(textOf(input));
  const task = visibleText(told?.title ?? 'in the background');
  const [state, word] = endState(told, isUndone);
  return {
    state,
    title: `Task ended: ${task}`,
    task,
    word: [agentWords(told?.agent ?? helper.id), word].join(' · '),
  };
}

function endState(told: ToldEnd | null, isUndone: boolean): readonly [StepState, string] {
  const changes = told?.changed?.length ?? 0;
  const words = changes === 0 ? [] : [isUndone ? 'taken back' : counted(changes, 'change')];
  if (isUndone) return ['undone', ['Completed', ...words].join(' · ')];
  switch (told?.status) {
    case 'completed':
      return [changes === 0 ? 'read' : 'done', ['Completed', ...words].join(' · ')];
    case 'stopped':
      return [changes === 0 ? 'read' : 'done', ['Stopped early', ...words].join(' · ')];
    case 'cancelled':
      return ['undone', ['Stopped', ...words].join(' · ')];
    default:
      return ['failed', ['Did not work', ...words].join(' · ')];
  }
}

/** Returns the title of an agent of tasks, safe to show. */
export function agentWords(agent: string): string {
  return visibleText(agent === helper.id ? helper.title! : agent);
}

const states: Readonly<
  Record<'waiting' | 'running' | 'asking' | 'interrupted', readonly [StepState, string]>
> = {
  waiting: ['unstarted', 'Waits'],
  running: ['running', 'Working'],
  asking: ['waiting', 'Asking'],
  interrupted: ['interrupted', 'Interrupted'],
};

/** Returns the state of a task that has not ended; null for a task that has. */
export function openTaskState({ status }: Pick<Task, 'status'>): readonly [StepState, string] | null {
  return status in states ? states[status as keyof typeof states] : null;
}

/** Returns the text of a queued message, as its row shows it. */
export function queuedWords({ input, from }: Pick<QueueItem, 'input' | 'from'>): string {
  const text = textOf(input);
  const told = from === undefined ? null : readTaskEnd(text);
  return told === null ? text : `Task ended: ${told.title}`;
}

/** Returns whether two ends look the same. */
export function sameEnd<T extends TaskEndWords & { readonly canUndo: boolean }>(one: T, other: T): boolean {
  return one.state === other.state && one.word === other.word && one.canUndo === other.canUndo;
}
