import type { Confirmation, TurnOutcome, TurnStatus } from '@banister/session';

/** A task as the model gave it. */
export interface TaskInfo {
  /** The id of its session in the log: `chat-42/task/1`. */
  readonly id: string;
  /** The id of the agent that does it. */
  readonly agent: string;
  /** A few words for the user. */
  readonly title: string;
  /** What the agent has to do, as its user message. */
  readonly task: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * `waiting`: too many tasks run. `asking`: a question of the task is open. `interrupted`: its turn was cut, and waits for `resume` or
 * `abandon` of its session, or the turn could not begin here. The other values are how its turn ended.
 */
export type TaskStatus = 'waiting' | 'running' | 'asking' | 'interrupted' | TurnStatus;

/** A task as a view shows it. */
export interface Task extends TaskInfo {
  readonly status: TaskStatus;
  /** What it has used; null if its provider reported nothing. While it runs: until now. */
  readonly usage: TurnOutcome['usage'];
  /** In milliseconds since 1970; absent until it has ended. */
  readonly endedAt?: number;
  /** Whether its end was put into the queue of the attached session. */
  readonly delivered: boolean;
}

/** An open question of a task. */
export interface TaskQuestion extends Confirmation {
  /** The id of the task. */
  readonly task: string;
}
