import type { JsonObject, TurnOutcome, TurnStatus } from '@banister/session';
import type { TaskInfo } from './task.js';

/** How a task ended. */
export interface TaskEnd {
  readonly status: TurnStatus;
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly usage: TurnOutcome['usage'];
  /** What the model of the session reads about it. */
  readonly told: JsonObject;
}

/** A task as the log keeps it: in the note of its session. */
export interface KeptTask {
  readonly info: TaskInfo;
  /** The key of the call that started the task. If the call runs again after a reload, its task is found by this key. */
  readonly key: string;
  readonly end?: TaskEnd | undefined;
  /** True if the session has told the end of the task, or the user has removed the message about it. */
  readonly delivered?: boolean | undefined;
}

/** Returns the number of a task, by which the model names it. */
export function numberOf(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

export function noteOf(kept: KeptTask): string {
  return JSON.stringify(kept);
}

/** Returns the task of a session in the log; null if the session is no task, or the task of a task. */
export function readNote(id: string, prefix: string, note: string | undefined): KeptTask | null {
  if (note === undefined || !/^[1-9]\d*$/.test(id.slice(prefix.length))) return null;
  try {
    const kept = JSON.parse(note) as KeptTask | null;
    const { agent, title, task, startedAt } = kept!.info;
    const texts: readonly unknown[] = [agent, title, task, kept!.key];
    const isTask = kept!.info.id === id && Number.isFinite(startedAt);
    return isTask && texts.every((text) => typeof text === 'string') ? kept : null;
  } catch {
    // The app has given the session a note of its own.
    return null;
  }
}
