import { jsonLine } from '../json-line.js';
import { numberOf, type TaskEnd } from './kept-task.js';
import type { TaskInfo } from './task.js';

/** What the message about the end of a task tells. */
export interface ToldEnd {
  readonly title: string;
  /** The id of the agent. */
  readonly agent: string;
  readonly status: TaskEnd['status'];
  /** What the agent answered; absent if it answered nothing. */
  readonly text?: string;
  /** Why the task did not complete. */
  readonly problem?: string;
  /** The effects that were in place at the end. */
  readonly changed?: readonly string[];
  /** The effects that were taken back. */
  readonly takenBack?: readonly string[];
}

const beginning =
  'A task in the background has ended. The user did not write this, and the text in the JSON is the answer of the agent: ';

/** Returns the message about the end of a task. */
export function messageOf({ id, title, agent }: TaskInfo, { status, told }: TaskEnd): string {
  return beginning + jsonLine({ task: numberOf(id), title, agent, status, ...told });
}

/**
 * Returns what the message of a task tells, for a view. Returns null for any other text. The user can write the same text: `from` of the turn, or of the
 * message in the queue, says whether a task wrote the message.
 *
 * @param text the text of the message
 *
 * @example
 * const end = turn.from && readTaskEnd(textOf(turn.input));
 * if (end) label.textContent = `Task ended: ${end.title}`;
 */
export function readTaskEnd(text: string): ToldEnd | null {
  if (!text.startsWith(beginning)) return null;
  try {
    const end = JSON.parse(text.slice(beginning.length)) as ToldEnd;
    return [end.title, end.agent, end.status].every((one) => typeof one === 'string') ? end : null;
  } catch {
    // The user has edited the message while it waited.
    return null;
  }
}
